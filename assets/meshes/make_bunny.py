#!/usr/bin/env python3
"""Writes bunny.mesh: the Stanford bunny filled with tetrahedra.

The surface is that of the npm package bunny 1.0.1 (closed, 1,839 vertices); gmsh 4.8 fills it.
Needs npm and gmsh (Debian: apt-get install gmsh). Height 1, feet at y = 0, centred over the origin
in x and z; vertices of the surface come first, tetrahedra have positive volume.
"""
import json
import math
import pathlib
import subprocess
import tempfile

FILL = """
Merge "surface.msh";
Surface Loop(1) = {1};
Volume(1) = {1};
Mesh.Algorithm3D = 10; // HXT
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1;
Mesh.OptimizeThreshold = 0.5;
Mesh.RandomSeed = 1;
Mesh.SaveAll = 1;
General.NumThreads = 1;
"""


def read_surface(folder):
    """Positions and triangles, outward, as the package has them."""
    subprocess.run(["npm", "pack", "--silent", "bunny@1.0.1"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["tar", "xf", "bunny-1.0.1.tgz"], cwd=folder, check=True)
    text = (folder / "package" / "index.js").read_text()
    positions, cells = (json.loads(line.split("=", 1)[1].rstrip().rstrip(";"))
                        for line in text.replace("exports.cells", "\nexports.cells").split("\n")
                        if line.startswith("exports."))
    used = sorted({corner for cell in cells for corner in cell})
    new = {old: i for i, old in enumerate(used)}
    return [positions[old] for old in used], [[new[corner] for corner in cell] for cell in cells]


def place(positions):
    low = [min(p[axis] for p in positions) for axis in range(3)]
    high = [max(p[axis] for p in positions) for axis in range(3)]
    middle = [(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2]
    return [[(p[a] - middle[a]) / (high[1] - low[1]) for a in range(3)] for p in positions]


def fill(positions, triangles, folder):
    """All vertices, those of the surface first, and the tetrahedra."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(positions))]
    lines += [f"{i + 1} {p[0]} {p[1]} {p[2]}" for i, p in enumerate(positions)]
    lines += ["$EndNodes", "$Elements", str(len(triangles))]
    lines += [f"{i + 1} 2 2 1 1 {t[0] + 1} {t[1] + 1} {t[2] + 1}" for i, t in enumerate(triangles)]
    (folder / "surface.msh").write_text("\n".join(lines + ["$EndElements", ""]))
    (folder / "fill.geo").write_text(FILL)
    subprocess.run(["gmsh", "-v", "2", "-3", "-format", "msh22", "-o", "filled.msh", "fill.geo"],
                   cwd=folder, check=True)
    words = (folder / "filled.msh").read_text().split("\n")
    at = words.index("$Nodes")
    nodes = {}
    for line in words[at + 2:at + 2 + int(words[at + 1])]:
        number, *xyz = line.split()
        nodes[int(number)] = [float(value) for value in xyz]
    at = words.index("$Elements")
    rows = [[int(w) for w in line.split()] for line in words[at + 2:at + 2 + int(words[at + 1])]]
    tetrahedra = [row[-4:] for row in rows if row[1] == 4]
    on_surface = {corner for row in rows if row[1] == 2 for corner in row[-3:]}
    used = sorted({corner for tet in tetrahedra for corner in tet},
                  key=lambda number: (number not in on_surface, number))
    new = {old: i for i, old in enumerate(used)}
    return [nodes[old] for old in used], [[new[c] for c in tet] for tet in tetrahedra]


def minus(a, b):
    return [a[i] - b[i] for i in range(3)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(a[i] * b[i] for i in range(3))


def volume(p, tet):
    a, b, c = (minus(p[tet[i]], p[tet[0]]) for i in (1, 2, 3))
    return dot(a, cross(b, c)) / 6


def smallest_angle(p, tet):
    """The smallest of the six dihedral angles, in degrees."""
    normals = []
    for i in range(4):
        a, b, c = (p[tet[j]] for j in range(4) if j != i)
        normal = cross(minus(b, a), minus(c, a))
        outward = -math.copysign(1, dot(normal, minus(p[tet[i]], a)))
        normals.append([outward * value / math.sqrt(dot(normal, normal)) for value in normal])
    return min(180 - math.degrees(math.acos(max(-1, min(1, dot(normals[i], normals[j])))))
               for i in range(4) for j in range(i))


def write(path, positions, tetrahedra):
    lines = ["# The Stanford bunny, Stanford Computer Graphics Laboratory; see ../README.md",
             "MeshVersionFormatted 1", "Dimension 3", "Vertices", str(len(positions))]
    lines += [" ".join(f"{value:.4f}".replace("-0.0000", "0") for value in p) + " 0"
              for p in positions]
    lines += ["Tetrahedra", str(len(tetrahedra))]
    lines += [" ".join(str(corner + 1) for corner in tet) + " 0" for tet in tetrahedra]
    path.write_text("\n".join(lines + ["End", ""]))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        surface, triangles = read_surface(folder)
        positions, tetrahedra = fill(place(surface), triangles, folder)
    positions = [[round(value, 4) for value in p] for p in positions]
    tetrahedra = [tet if volume(positions, tet) > 0 else [tet[0], tet[2], tet[1], tet[3]]
                  for tet in tetrahedra]
    path = pathlib.Path(__file__).with_name("bunny.mesh")
    write(path, positions, tetrahedra)
    edges = {(min(a, b), max(a, b)) for tet in tetrahedra for a in tet for b in tet if a != b}
    angle = min(smallest_angle(positions, tet) for tet in tetrahedra)
    print(f"{len(positions)} vertices, {len(tetrahedra)} tetrahedra, {len(edges)} edges, "
          f"smallest dihedral angle {angle:.1f} degrees, "
          f"volume {sum(volume(positions, tet) for tet in tetrahedra):.4f}, "
          f"{path.stat().st_size} bytes")


main()
