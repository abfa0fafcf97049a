module tollgate/bench

go 1.26
