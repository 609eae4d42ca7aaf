// The program twang_demo: parses the command line and dispatches to the window, the headless run,
// the tour or the list of scenes. Catches std::bad_alloc from all of them and checks that standard
// output could be written.
#include <cstdio>
#include <new>
#include <span>

#include "app/messages.hpp"
#include "app/options.hpp"
#include "app/run_headless.hpp"
#include "app/scenes.hpp"
#include "app/tour.hpp"
#include "view/run_window.hpp"

namespace twang::demo {
namespace {

int run_scene(const Options& options) {
    const io::Result<io::Scene> scene = open_scene(options);
    if (!scene) return complain(scene.error());
    for (const std::string& warning : scene->warnings) say(warning);
    if (options.strict && !scene->warnings.empty()) return static_cast<int>(io::Exit::invalid);
    return options.without_window() ? run_headless(options, *scene) : run_window(options, *scene);
}

int dispatch(std::span<const char* const> arguments) {
    const io::Result<Options> options = parse_options(arguments);
    if (!options) return complain(options.error());
    switch (options->action) {
    case Action::help: std::fputs(help_text().c_str(), stdout); return 0;
    case Action::version: std::printf("twang_demo %s\n", version_text().c_str()); return 0;
    case Action::list: return list_scenes();
    case Action::run: break;
    }
    return options->tour.empty() ? run_scene(*options) : run_tour(*options);
}

} // namespace
} // namespace twang::demo

int main(int argc, char** argv) {
    using namespace twang;
    try {
        const std::size_t count = argc > 1 ? static_cast<std::size_t>(argc - 1) : 0;
        int exit = demo::dispatch({argv + 1, count});
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
            if (exit == 0) {
                exit = demo::complain({"standard output", 0, "cannot write", io::Exit::unreadable});
            }
        }
        return exit;
    } catch (const std::bad_alloc&) {
        std::fputs("twang_demo: out of memory\n", stderr);
        return static_cast<int>(io::Exit::memory);
    }
}
