constant limit = 7
