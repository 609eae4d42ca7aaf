// Faults in scenes: each is answered with its line and its reason, and none brings the reader down.
#include "io_support.hpp"

namespace twang::io::test {
namespace {

TEST(Scenes, FaultsNameTheirLine) {
    const std::string start = "{" + small_cloth + ",\n";
    const auto shape = [](const std::string& text) { return "{\"shape\":\n" + text + "}"; };
    const std::vector<Fault> faults = {
        {"", 1, "not valid JSON"},
        {"[]", 1, "'scene' must be an object, not a list"},
        {"5", 1, "'scene' must be an object, not a number"},
        {"{\n}", 1, "needs the key 'shape'"},
        {"{\"shap\": {}}", 1, "needs the key 'shape'; is it 'shap'?"},
        {std::string(100000, '['), 1, "nested too deeply"},
        {start + "\"title\": 5}", 2, "'title' must be a text, not a number"},
        {start + "\"title\": \"a\", \"title\": \"b\"}", 2, "appears twice"},
        {start + "\"time_step\": 0}", 2, "'time_step' must be above 0, not 0"},
        {start + "\"time_step\": 1e999}", 2, "not finite"},
        {start + "\"time_step\": null}", 2, "must be a number, not null"},
        {start + "\"frames\": 0}", 2, "'frames' must be from 1"},
        {start + "\"frames\": 2.5}", 2, "whole number"},
        {start + "\"gravity\": [1]}", 2, "a vector"},
        {start + "\"gravity\": [1, 2, 3, 4]}", 2, "a vector"},
        {start + "\"gravity\": [1, 2,\n\"3\"]}", 3, "must be a number, not a text"},
        {start + "\"gravity\": true}", 2, "must be a list, not a boolean"},
        {start + "\"material\": {\"mass\": 0}}", 2, "'mass' must be above 0"},
        {start + "\"material\": {\"mass\": -1}}", 2, "'mass' must be above 0"},
        {start + "\"material\": {\"mass\": 1,\n\"density\": 1}}", 3, "cannot both be"},
        {start + "\"material\": {\"vertex_mass\": 0}}", 2, "above 0"},
        {start + "\"material\": {\"stiffness\": -1}}", 2, "at least 0"},
        {start + "\"material\": {\"shear\": -1}}", 2, "at least 0"},
        {start + "\"material\": {\"bend\": []}}", 2, "must be a number, not a list"},
        {start + "\"material\": {\"damping\": -1}}", 2, "at least 0"},
        {start + "\"material\": {\"energy\": \"hook\"}}", 2, "one of hooke, stvk, not 'hook'"},
        {start + "\"material\": 5}", 2, "'material' must be an object"},
        {start + "\"pins\": 5}", 2, "'pins' must be a list"},
        {start + "\"pins\": [\n9]}", 3, "'index' must be from 0 to 8, not 9"},
        {start + "\"pins\": [{\"index\": [0,\n-1]}]}", 3, "'index' must be from 0 to 8"},
        {start + "\"pins\": [{\"index\": \"x\"}]}", 2, "must be a number"},
        {start + "\"pins\": [{}]}", 2, "one of index, box, nearest"},
        {start + "\"pins\": [\"x\"]}", 2, "must be an object"},
        {start + "\"pins\": [{\"index\": 0, \"nearest\": [0, 0, 0]}]}", 2, "cannot both be"},
        {start + "\"pins\": [{\"box\": [[0, 0, 0]]}]}", 2, "[[x, y, z], [x, y, z]]"},
        {start + "\"pins\": [{\"box\": [[1, 0, 0], [0, 1, 1]]}]}", 2, "the lower one"},
        {start + "\"pin_method\": \"glue\"}", 2, "one of penalty, elimination"},
        {start + "\"solver\": \"magic\"}", 2, "one of local-global"},
        {start + "\"solver\": {\"name\": 5}}", 2, "must be a text"},
        {start + "\"solver\": {\"iterations\": 0}}", 2, "'iterations' must be from 1"},
        {start + "\"solver\": {\"iterations\": 1e10}}", 2, "'iterations' must be from 1"},
        {start + "\"solver\": {\"tolerance\": -1}}", 2, "at least 0"},
        {start + "\"solver\": {\"budget_ms\": -1}}", 2, "'budget_ms' must be at least 0"},
        {start + "\"solver\": {\"acceleration\": \"more\"}}", 2, "one of none, chebyshev"},
        {start + "\"solver\": {\"acceleration\": 1}}", 2, "must be a text"},
        {start + "\"solver\": {\"integrator\": \"rk4\"}}", 2, "one of implicit-euler, bdf2"},
        {start + "\"solver\": {\"numerical_damping\": 2}}", 2,
         "'numerical_damping' must be from 0"},
        {start + "\"solver\": {\"name\": \"static\",\n\"integrator\": \"bdf2\"}}", 3,
         "not for 'static'"},
        {start + "\"solver\": {\"name\": \"newton\",\n\"acceleration\": \"lbfgs\"}}", 3,
         "for local-global only, not for 'newton'"},
        {start + "\"precision\": \"single\"}", 2, "one of float, double, half, best"},
        {start + "\"arithmetic\": \"exact\"}", 2, "one of fast, portable, not 'exact'"},
        {start + "\"wind\": {\"drag\": 1}}", 2, "needs the key 'velocity'"},
        {start + "\"wind\": {\"velocity\": [0, 0, 1], \"drag\": -1}}", 2, "at least 0"},
        {start + "\"wind\": {\"velocity\": [0, 0, 1], \"lift\": -1}}", 2,
         "'lift' must be at least 0"},
        {start + "\"wind\": {\"velocity\": [0, 0, 1], \"gust_seconds\": 0}}", 2, "'gust_seconds'"},
        {start + "\"wind\": {\"velocity\": [0, 0, 1], \"gust_seed\": 1.5}}", 2, "whole number"},
        {start + "\"material\": {\"pressure\": -1}}", 2, "'pressure' must be at least 0"},
        {start + "\"material\": {\"max_strain\": -1}}", 2, "'max_strain' must be at least 0"},
        {start + "\"material\": {\"strain_passes\": 0}}", 2, "'strain_passes'"},
        {start + "\"material\": {\"tear_strain\": -1}}", 2, "'tear_strain' must be at least 0"},
        {start + "\"vertex_spheres\": {\"friction\": 1}}", 2, "needs the key 'radius'"},
        {start + "\"vertex_spheres\": {\"radius\": -1}}", 2, "'radius' must be at least 0"},
        {start + "\"vertex_spheres\": {\"radius\": 1, \"friction\": -1}}", 2, "at least 0"},
        {start + "\"copies\": {\"spacing\": [1, 1, 1]}}", 2, "needs the key 'count'"},
        {start + "\"copies\": {\"count\": [1, 1, 1]}}", 2, "needs the key 'spacing'"},
        {start + "\"copies\": {\"count\": [1, 1], \"spacing\": [1, 1, 1]}}", 2, "three whole"},
        {start + "\"copies\": {\"count\": [1, 0, 1], \"spacing\": [1, 1, 1]}}", 2, "from 1"},
        {start + "\"copies\": {\"count\": [9999, 9999, 9999], \"spacing\": [1, 1]}}", 2,
         "the limit is"},
        {start + "\"pins\": [{\"index\": 1,\n\"motion\": 5}]}", 3, "'motion' must be an object"},
        {start + "\"pins\": [{\"index\": 1, \"motion\": {\"frequency\": -1}}]}", 2, "at least 0"},
        {start + "\"colliders\": [{\"sphere\": {\"penalty\": -1}}]}", 2, "'penalty' must be"},
        {start + "\"colliders\": [{\"sphere\": {\"penalty_scale\": 0}}]}", 2, "must be above 0"},
        {start + "\"colliders\": [{\"capsule\": {\"end_radius\": 0}}]}", 2,
         "'end_radius' must be above 0"},
        {start + "\"colliders\": [{\"capsule\": {\n\"end_radius\": \"thin\"}}]}", 3,
         "'end_radius' must be"},
        {start + "\"colliders\": [{\"sphere\": {}, \"kinetic_friction\": 0.4}]}", 2,
         "from 0 to 0.3"},
        {start + "\"colliders\": [{\"box\": {}, \"between_vertices\": 1}]}", 2,
         "'between_vertices' must be true or false"},
        {start + "\"colliders\": [{\"box\": {}, \"rotation\": 5}]}", 2, "'rotation' must be"},
        {start + "\"colliders\": [{\"box\": {}, \"rotation\": {}}]}", 2, "needs the key 'degrees'"},
        {start +
             "\"colliders\": [{\"box\": {},\n\"rotation\": {\"axis\": [0, 0], \"degrees\": 1}}]}",
         3, "'axis' must not be 0"},
        {start + "\"colliders\": [{\"box\": {}, \"motion\": {\"axis\": [0, 0, 0]}}]}", 2,
         "'axis' must not be 0"},
        {start + "\"colliders\": [{\"box\": {}, \"motion\": {\"turns\": \"x\"}}]}", 2, "'turns'"},
        {start + "\"colliders\": [{\"box\": {}, \"motion\": {\"swing\": [1]}}]}", 2, "'swing'"},
        {start + "\"colliders\": [{\"mesh\": {}}]}", 2, "needs the key 'file'"},
        {start + "\"colliders\": [\n{\"mesh\": \"line.obj\"}]}", 3, "needs faces"},
        {start + "\"start\": {\"jitter\": -1}}", 2, "at least 0"},
        {start + "\"start\": {\"stretch\": 2}}", 2, "'stretch' must be a list"},
        {start + "\"camera\": {\"field_of_view\": 180}}", 2, "from 1 to 170"},
        {start + "\"camera\": {\"eye\": [1, 1, 1], \"target\": [1, 1, 1]}}", 2, "different points"},
        {start + "\"springs\": [[0, 9]]}", 2, "from 0 to 8, not 9"},
        {start + "\"springs\": [[0]]}", 2, "a spring is"},
        {start + "\"springs\": [[0, 1, -1]]}", 2, "'stiffness' must be at least 0"},
        {start + "\"springs\": [[0, 1, 1, -1]]}", 2, "'rest_length' must be at least 0"},
        {start + "\"colliders\": [{}]}", 2, "a collider needs one of"},
        {start + "\"colliders\": [{\"sphere\": {\"radius\": 0}}]}", 2, "'radius' must be above 0"},
        {start + "\"colliders\": [{\"plane\": {\"normal\": [0, 0, 0]}}]}", 2, "'normal'"},
        {start + "\"colliders\": [{\"box\": {\"half_extents\": [1, 0, 1]}}]}", 2, "half_extents"},
        {start + "\"colliders\": [{\"sphere\": {}, \"friction\": -1}]}", 2, "at least 0"},
        {start + "\"colliders\": [{\"sphere\": {}, \"box\": {}}]}", 2, "cannot both be"},
        {shape("[]"), 2, "'shape' must be an object"},
        {shape("{}"), 2, "needs one of cloth"},
        {shape("{\"balloon\": {\"radius\": 0}}"), 2, "'radius' must be above 0"},
        {shape("{\"balloon\": {\"subdivisions\": 11}}"), 2, "'subdivisions' must be from 0 to 10"},
        {shape("{\"balloon\": {\"string_vertices\": 4}}"), 2, "or neither"},
        {shape("{\"cloth\": {}, \"rope\": {}}"), 2, "cannot both be"},
        {shape("{\"cloth\": {\"rows\": 2}}"), 2, "needs the key 'columns'"},
        {shape("{\"cloth\": {\"columns\": 1, \"rows\": 2}}"), 2, "'columns' must be from 2"},
        {shape("{\"cloth\": {\"columns\": 2.5, \"rows\": 2}}"), 2, "whole number"},
        {shape("{\"cloth\": {\"columns\": 2, \"rows\": 2, \"spacing\": 0}}"), 2, "above 0"},
        {shape("{\"cloth\": {\"columns\": 2, \"rows\": 2, \"down\": [2, 0, 0]}}"), 2, "different"},
        {shape("{\"cloth\": {\"columns\": 10000, \"rows\": 10000}}"), 2, "the limit is"},
        {shape("{\"cloth\": {\"columns\": 1e300, \"rows\": 2}}"), 2, "'columns' must be from 2"},
        {shape("{\"square\": {\"vertices_per_side\": 1}}"), 2, "from 2"},
        {shape("{\"square\": {\"vertices_per_side\": 9999}}"), 2, "the limit is"},
        {shape("{\"square\": {\"vertices_per_side\": 3, \"side\": -1}}"), 2, "above 0"},
        {shape("{\"rope\": {\"vertices\": 1}}"), 2, "at least 2"},
        {shape("{\"rope\": {\"vertices\": 1e12}}"), 2, "the limit is"},
        {shape("{\"rope\": {\"vertices\": 3, \"to\": [0, 0, 0]}}"), 2, "different points"},
        {shape("{\"block\": {\"cells\": [1, 1]}}"), 2, "three whole numbers"},
        {shape("{\"block\": {\"cells\": [1, 0, 1]}}"), 2, "from 1"},
        {shape("{\"block\": {\"cells\": [999, 999, 999]}}"), 2, "the limit is"},
        {shape("{\"block\": {\"cells\": [2, 2, 2], \"size\": [1, 0, 1]}}"), 2, "above 0"},
        {shape("{\"points\": []}"), 2, "must not be empty"},
        {shape("{\"points\": [[0, 0],\n[1]]}"), 3, "a vector"},
        {shape("{\"points\": [[1e308, 0, 0], [-1e308, 0, 0]]}"), 0, "too large"},
        {shape("{\"mesh\": 5}"), 2, "'mesh' must be an object"},
        {shape("{\"mesh\": {}}"), 2, "needs the key 'file'"},
        {shape("{\"mesh\": {\"file\": \"x.obj\", \"scale\": 0}}"), 2, "above 0"},
    };
    const Files files;
    files.write("line.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    for (const Fault& fault : faults) {
        const std::string file = files.write("bad.json", fault.content);
        expect_fault(read_scene(file), file, fault);
    }
}

TEST(Scenes, UnreadableFilesAnswerThree) {
    const Files files;
    for (const std::string& path : {files.path("no.json"), files.folder(), files.path("no.obj"),
                                    files.path("no.mesh"), std::string()}) {
        const Result<Scene> scene = read_scene(path);
        ASSERT_FALSE(scene) << path;
        EXPECT_EQ(scene.error().exit, Exit::unreadable) << scene.error().text();
    }
}

// What was read can be run, or the engine says why not.
void expect_run_or_refusal(Scene scene) {
    if (scene.mesh.vertex_count() * scene.copies.total() > 100) return;
    scene.world.workers = 1;
    scene.world.solver.iterations = std::min(scene.world.solver.iterations, 5);
    Result<Stage> stage = instantiate(scene);
    if (!stage) {
        EXPECT_FALSE(stage.error().reason.empty());
        return;
    }
    stage->step();
    for (const float p : stage->body.positions()) ASSERT_TRUE(std::isfinite(p));
}

TEST(Scenes, BrokenCopiesAreReadOrRefused) {
    const Files files;
    files.write("net.obj", two_quads);
    const std::vector<std::string> texts = {
        R"({"obj": "net.obj", "k": 300, "m": 1.5, "b": [1, 3, 6], "png": "a.png"})",
        "{" + small_cloth + R"(, "material": {"mass": 0.3, "shear": 10, "energy": "hooke"},
            "pins": [0, {"box": [[0, -1, 0], [1, 0, 0]]}, {"nearest": [1, 0, 0]},
                     {"index": 8, "motion": {"velocity": [0, 1, 0]}}],
            "start": {"stretch": [1.1, 1, 1]}, "gravity": [0, -1, 0],
            "colliders": [{"sphere": {"radius": 0.1}, "motion": {"frequency": 1}},
                          {"box": {}, "rotation": {"axis": [1, 2, 3], "degrees": 30},
                           "friction": 0.5, "kinetic_friction": 0.4, "between_vertices": true,
                           "motion": {"axis": [0, 1, 0], "turns": 0.5, "swing": 20}},
                          {"capsule": {"from": [0, -2, 0], "to": [1, -2, 0], "end_radius": 0.2}},
                          {"mesh": {"file": "net.obj", "translate": [0, -3, 0]}}],
            "copies": {"count": [2, 1, 1], "spacing": [3, 0, 0]},
            "solver": {"name": "newton", "iterations": 9}, "springs": [[0, 8, 10]]})"};
    int read = 0, refused = 0;
    for (const std::string& text : texts) {
        with_broken_copies(text, 3000, [&](const std::string& copy) {
            const Result<Scene> scene = read_scene(files.write("broken.json", copy));
            if (scene) {
                ++read;
                expect_sound(scene->mesh);
                for (const std::uint32_t pin : scene->pins) {
                    ASSERT_LT(pin, scene->mesh.vertex_count());
                }
                for (const SpringDef& spring : scene->springs) {
                    ASSERT_LT(std::max(spring.a, spring.b), scene->mesh.vertex_count());
                }
                expect_run_or_refusal(*scene);
            } else {
                ++refused;
                EXPECT_FALSE(scene.error().reason.empty());
            }
        });
    }
    EXPECT_GT(read, 100);
    EXPECT_GT(refused, 100);
}

} // namespace
} // namespace twang::io::test
