// For tests of twang_demo: runs the program as a shell would, with its output in strings, in a
// scratch folder that is gone afterwards; and reads its trajectories.
#ifndef TWANG_TESTS_RUN_DEMO_HPP
#define TWANG_TESTS_RUN_DEMO_HPP

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace twang::test {

inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

class ScratchFolder {
public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "twang-XXXXXX").string();
        if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp " + pattern);
        path_ = pattern;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

struct Launch {
    std::vector<std::string> arguments{};
    std::string assets{};           // TWANG_ASSETS; "": not set
    std::string out{};              // file for standard output; "": a scratch file
    int err = -1;                   // descriptor for standard error; -1: a scratch file
    std::uint64_t memory_limit = 0; // bytes of address space; 0: none
    bool display = false;           // may see the screen, if there is one
};

struct Outcome {
    int exit = -1; // minus the signal's number when one killed it
    std::string out, err;
    std::size_t err_lines() const {
        return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
    }
};

// A started program. wait() must be called once.
class Process {
public:
    explicit Process(const Launch& launch) {
        const std::string out = launch.out.empty() ? folder_ / "out" : launch.out;
        std::vector<std::string> words = {TWANG_DEMO};
        words.insert(words.end(), launch.arguments.begin(), launch.arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        const std::string err = folder_ / "err";
        pid_ = fork();
        if (pid_ < 0) throw std::runtime_error("fork");
        if (pid_ > 0) return;
        const int mode = O_WRONLY | O_CREAT | O_TRUNC;
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(open(out.c_str(), mode, 0600), STDOUT_FILENO);
        dup2(launch.err >= 0 ? launch.err : open(err.c_str(), mode, 0600), STDERR_FILENO);
        if (launch.memory_limit) {
            const rlimit limit = {launch.memory_limit, launch.memory_limit};
            setrlimit(RLIMIT_AS, &limit);
        }
        if (!launch.display) {
            unsetenv("DISPLAY");
            unsetenv("WAYLAND_DISPLAY");
        }
        if (launch.assets.empty()) {
            unsetenv("TWANG_ASSETS");
        } else {
            setenv("TWANG_ASSETS", launch.assets.c_str(), 1);
        }
        signal(SIGINT, SIG_DFL); // a test runner in the background may ignore it
        execv(argv[0], argv.data());
        _exit(127);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void send(int signal) const { kill(pid_, signal); }
    Outcome wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return {exit, read_text(folder_ / "out"), read_text(folder_ / "err")};
    }

private:
    ScratchFolder folder_;
    pid_t pid_ = -1;
};

inline Outcome run_demo(const Launch& launch) { return Process(launch).wait(); }
inline Outcome run_demo(std::vector<std::string> arguments) {
    return run_demo(Launch{.arguments = std::move(arguments)});
}

using Point = std::array<double, 3>;
using Frames = std::vector<std::vector<Point>>;

// frames[frame][vertex]. Throws at a row that is out of order or malformed.
inline Frames parse_trajectory(const std::string& csv) {
    std::istringstream lines(csv);
    std::string line;
    if (!std::getline(lines, line) || line != "frame,vertex,x,y,z") {
        throw std::runtime_error("header: " + line);
    }
    Frames frames;
    while (std::getline(lines, line)) {
        std::size_t frame = 0, vertex = 0;
        Point point{};
        int used = 0;
        const int fields = std::sscanf(line.c_str(), "%zu,%zu,%lf,%lf,%lf%n", &frame, &vertex,
                                       &point[0], &point[1], &point[2], &used);
        if (fields != 5 || static_cast<std::size_t>(used) != line.size()) {
            throw std::runtime_error("row: " + line);
        }
        if (frame == frames.size()) frames.emplace_back();
        if (frame + 1 != frames.size() || vertex != frames.back().size()) {
            throw std::runtime_error("out of order: " + line);
        }
        frames.back().push_back(point);
    }
    return frames;
}

} // namespace twang::test

#endif // TWANG_TESTS_RUN_DEMO_HPP
