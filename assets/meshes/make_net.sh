#!/bin/sh
# Writes net.obj: a square net of 10 x 10 meshes, 1 m wide, flat in the xz plane.
awk 'BEGIN {
    n = 11
    print "# A square net of 10 x 10 meshes, made by make_net.sh"
    for (row = 0; row < n; row++)
        for (column = 0; column < n; column++)
            printf "v %g 0 %g\n", (column - 5) / 10, (row - 5) / 10
    for (row = 0; row < n - 1; row++)
        for (column = 0; column < n - 1; column++) {
            corner = row * n + column + 1
            printf "f %d %d %d %d\n", corner, corner + n, corner + n + 1, corner + 1
        }
}' > "$(dirname "$0")/net.obj"
