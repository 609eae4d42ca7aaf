// Builds the scenes of the suite `contact`. See contact.hpp.
#include "suites/contact.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace bench {

namespace {

using std::uint32_t;
using twang::ColliderDef;
using twang::Vec3;
using twang::io::Scene;

constexpr double drop_height = 0.1; // m, from the cloth down to the obstacle
constexpr double friction = 0.4, damping = 0.3;

Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 operator*(double s, Vec3 v) { return {s * v.x, s * v.y, s * v.z}; }

// Sets the masses and stiffnesses of the engine's default cloth.
void set_cloth_material(Scene& scene) {
    const twang::ClothDef cloth;
    scene.material.mass = cloth.mass;
    scene.material.stiffness = cloth.stiffness;
    scene.material.shear = cloth.shear;
    scene.material.bend = cloth.bend;
}

// A sheet of quads with sides of `spacing` (m).
Scene sheet(uint32_t columns, uint32_t rows, double spacing, Vec3 origin, Vec3 across, Vec3 down) {
    Scene scene;
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t column = 0; column < columns; ++column) {
            const Vec3 p = origin + spacing * (column * across + row * down);
            scene.mesh.positions.insert(scene.mesh.positions.end(), {p.x, p.y, p.z});
            const uint32_t i = row * columns + column;
            if (row + 1 < rows && column + 1 < columns)
                scene.mesh.quads.insert(scene.mesh.quads.end(),
                                        {i, i + 1, i + columns + 1, i + columns});
        }
    set_cloth_material(scene);
    return scene;
}

// A tube about the y axis, closed around. The first row is an ellipse at the height `top.y` with
// the half axes `top.x` and `top.z`. Each row is `spacing` (m) below the row above, along a surface
// that widens by the angle `flare` from the vertical (rad).
Scene tube(uint32_t columns, uint32_t rows, double spacing, Vec3 top, double flare) {
    Scene scene;
    for (uint32_t row = 0; row < rows; ++row) {
        const double outward = row * spacing * std::sin(flare),
                     down = row * spacing * std::cos(flare);
        for (uint32_t column = 0; column < columns; ++column) {
            const double angle = 2.0 * std::numbers::pi * column / columns;
            scene.mesh.positions.insert(scene.mesh.positions.end(),
                                        {(top.x + outward) * std::cos(angle), top.y - down,
                                         (top.z + outward) * std::sin(angle)});
            const uint32_t i = row * columns + column;
            const uint32_t next = row * columns + (column + 1) % columns;
            if (row + 1 < rows)
                scene.mesh.quads.insert(scene.mesh.quads.end(),
                                        {i, next, next + columns, i + columns});
        }
    }
    set_cloth_material(scene);
    return scene;
}

// Sets material and damping of a garment.
void set_garment(Scene& scene) {
    scene.material.mass = 0.3;
    scene.material.shear = 700.0;
    scene.material.bend = 30.0;
    scene.world.damping = 1.0;
}

Scene level_sheet(uint32_t side) {
    const double spacing = twang::ClothDef{}.spacing, half = 0.5 * spacing * (side - 1);
    return sheet(side, side, spacing, {-half, 0.0, -half}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
}

// Adds the scene in the air for a square cloth without pins: two corners are pinned.
ContactScene with_air(Scene scene) {
    scene.pins.clear();
    Scene air = scene;
    air.colliders.clear();
    air.vertex_radius = 0.0;
    const auto side = static_cast<uint32_t>(std::lround(std::sqrt(scene.mesh.vertex_count())));
    air.pins = {0, side - 1};
    return {std::move(scene), std::move(air)};
}

ContactScene on_collider(Scene scene, ColliderDef collider) {
    collider.friction = friction;
    scene.colliders = {{collider, {}, {}}};
    scene.world.damping = damping;
    return with_air(std::move(scene));
}

ColliderDef ball_below(Vec3 middle) {
    constexpr double radius = 0.3;
    return {.centre = middle + Vec3{0.0, -drop_height - radius, 0.0}, .radius = radius};
}

ContactScene ball(int side) {
    return on_collider(falling_cloth(side), ball_below({0.5, 0.0, 0.5}));
}

ContactScene box() {
    constexpr double half = 0.2;
    return on_collider(level_sheet(33), {.shape = TWANG_SHAPE_BOX,
                                         .centre = {0.0, -drop_height - half, 0.0},
                                         .half_extents = {half, half, half}});
}

// Two layers on a ball, in contact with each other by vertex spheres.
ContactScene stack() {
    Scene scene = level_sheet(33);
    const double edge = twang::ClothDef{}.spacing;
    scene.copies = {{1, 2, 1}, {0.0, 1.3 * edge, 0.0}};
    scene.vertex_radius = 0.5 * edge;
    return on_collider(std::move(scene), ball_below({}));
}

ContactScene drape() {
    ContactScene contact = with_air(shipped_scene("drape"));
    contact.comes_to_rest = false;
    return contact;
}

// A cape on three capsules, a back that leans forward by 50 degrees and sways; pinned at the
// shoulders.
ContactScene cape() {
    constexpr uint32_t columns = 31, rows = 33;
    constexpr double spacing = 0.025, radius = 0.1, lean_angle = 50.0 * std::numbers::pi / 180.0;
    const Vec3 across{1.0, 0.0, 0.0}, down{0.0, -std::cos(lean_angle), std::sin(lean_angle)},
        outward{0.0, std::sin(lean_angle), std::cos(lean_angle)};
    const twang::io::Motion sway{.amplitude = {0.03, 0.0, 0.02}, .frequency = 0.3};

    ContactScene contact;
    Scene& air = contact.air;
    air = sheet(columns, rows, spacing, -0.5 * spacing * (columns - 1) * across, across, down);
    set_garment(air);
    for (const uint32_t shoulder : {7u, 21u})
        for (uint32_t column = shoulder; column < shoulder + 3; ++column)
            air.pins.push_back(column);
    air.moving_pins = {{air.pins, sway}};

    contact.scene = air;
    for (const double side : {-0.14, 0.0, 0.14}) {
        ColliderDef def{.shape = TWANG_SHAPE_CAPSULE, .radius = radius, .friction = friction};
        def.centre = side * across + 0.02 * down + (-radius - def.thickness) * outward;
        def.end = def.centre + 0.5 * down;
        contact.scene.colliders.push_back({def, sway, {}});
    }
    contact.comes_to_rest = false;
    return contact;
}

// A skirt on a walker who stays in place: the hips sway, the legs swing about them in turn, and the
// upper row of vertices is pinned to the hips.
ContactScene skirt() {
    constexpr uint32_t columns = 40, rows = 25;
    constexpr double spacing = 0.025, flare = 7.0 * std::numbers::pi / 180.0;
    twang::io::Motion walk{.amplitude = {0.02, 0.0, 0.03}, .frequency = 0.8, .axis = {1, 0, 0}};

    ContactScene contact;
    Scene& air = contact.air;
    air = tube(columns, rows, spacing, {0.175, 0.05, 0.125}, flare);
    set_garment(air);
    for (uint32_t column = 0; column < columns; ++column) air.pins.push_back(column);
    air.moving_pins = {{air.pins, walk}};

    contact.scene = air;
    const ColliderDef hips{.shape = TWANG_SHAPE_CAPSULE,
                           .centre = {-0.05, 0.0, 0.0},
                           .end = {0.05, 0.0, 0.0},
                           .radius = 0.12,
                           .friction = friction};
    contact.scene.colliders = {{hips, walk, {}}};
    for (const double side : {-1.0, 1.0}) {
        const Vec3 hip{0.085 * side, -0.03, 0.0};
        const ColliderDef leg{.shape = TWANG_SHAPE_CAPSULE,
                              .centre = hip,
                              .end = hip + Vec3{0.0, -0.75, 0.0},
                              .radius = 0.08,
                              .end_radius = 0.05,
                              .friction = friction};
        walk.swing = 22.0 * side; // degrees
        contact.scene.colliders.push_back({leg, walk, {}});
    }
    contact.comes_to_rest = false;
    return contact;
}

} // namespace

const std::vector<std::string>& contact_scenes() {
    static const std::vector<std::string> names{"ball33", "ball64", "drape", "box33",
                                                "cape",   "skirt",  "stack"};
    return names;
}

ContactScene contact_scene(const std::string& name) {
    if (name == "ball33") return ball(33);
    if (name == "ball64") return ball(64);
    if (name == "drape") return drape();
    if (name == "box33") return box();
    if (name == "cape") return cape();
    if (name == "skirt") return skirt();
    if (name == "stack") return stack();
    throw std::runtime_error("no scene of contact is called " + name);
}

Scene contact_variant(Scene scene, int variant) {
    constexpr Vec3 shifts[contact_variants] = {{},
                                               {0.003, 0.0, 0.002},
                                               {-0.002, 0.0, 0.003},
                                               {0.002, 0.011, -0.003},
                                               {-0.003, 0.011, -0.002}};
    const Vec3 shift = shifts[variant];
    if (scene.positions.empty()) scene.positions = scene.mesh.positions;
    const std::size_t n = scene.mesh.vertex_count();
    for (std::size_t i = 0; i < n; ++i) {
        const double share = scene.pins.empty() ? 1.0 : i / (n - 1.0);
        scene.positions[3 * i] += share * shift.x;
        scene.positions[3 * i + 1] += share * shift.y;
        scene.positions[3 * i + 2] += share * shift.z;
    }
    return scene;
}

std::vector<int> contact_iterations(const std::string& scene) {
    if (scene == "ball64") return {3, 5, 7, 10};
    return {3, 5, 10};
}

std::vector<int> bullet_contact_iterations(const std::string& scene) {
    if (scene == "ball33") return {10, 50, 200};
    if (scene == "ball64") return {10, 50};
    return {};
}

std::string contact_name(const std::string& scene, int iterations) {
    return "contact/" + scene + '/' + std::to_string(iterations);
}

std::string bullet_contact_name(const std::string& scene, int iterations) {
    return "contact/" + scene + "/bullet/" + std::to_string(iterations);
}

} // namespace bench
