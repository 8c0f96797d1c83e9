module kin-cluster

go 1.26.0
