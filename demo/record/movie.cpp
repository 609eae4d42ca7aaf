#include "record/movie.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace twang::demo {
namespace {

io::Error movie_error(const std::string& path, const std::string& reason) {
    return {path, 0, reason, io::Exit::unreadable};
}

std::string extension(const std::string& path) {
    return std::filesystem::path(path).extension().string();
}

// Returns ffmpeg's arguments for the format that the extension names.
std::vector<std::string> encoding(const std::string& path) {
    if (extension(path) == ".gif") {
        return {"-vf",
                "fps=25,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:"
                "bayer_scale=4:diff_mode=rectangle"};
    }
    if (extension(path) == ".webp") {
        return {"-vf", "fps=30", "-c:v", "libwebp", "-quality", "75", "-loop", "0"};
    }
    // Most players need an even width and height and this pixel format.
    return {"-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-c:v",      "libx264",
            "-crf",      "20",
            "-preset",   "veryfast",
            "-pix_fmt",  "yuv420p",
            "-movflags", "+faststart"};
}

std::vector<std::string> command(const std::string& path, Size size) {
    std::vector<std::string> words = {
        "ffmpeg",
        "-nostdin",
        "-loglevel",
        "quiet",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        std::to_string(size.width) + "x" + std::to_string(size.height),
        "-r",
        std::to_string(movie_rate),
        "-i",
        "pipe:0"};
    const std::vector<std::string> how = encoding(path);
    words.insert(words.end(), how.begin(), how.end());
    // "file:" keeps ffmpeg from reading a name as an option ("-x") or as a protocol ("pipe:").
    words.push_back("file:" + path);
    return words;
}

} // namespace

bool is_movie_name(const std::string& path) {
    const std::string ending = extension(path);
    return ending == ".mp4" || ending == ".gif" || ending == ".webp";
}

io::Result<Movie> Movie::start(const std::string& path, Size size) {
    // A path that cannot be written fails here, before the run.
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (!file) return movie_error(path, std::string("cannot write: ") + std::strerror(errno));
    std::fclose(file);
    std::signal(SIGPIPE, SIG_IGN); // when ffmpeg dies, write() fails
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return movie_error(path, "cannot make a pipe to ffmpeg");
    std::vector<std::string> words = command(path, size);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // A process group of its own keeps Ctrl-C from ffmpeg, which then finishes the file.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t process = -1;
    const int failed =
        posix_spawnp(&process, "ffmpeg", &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (failed) {
        ::close(ends[1]);
        std::filesystem::remove(path);
        return movie_error(path, "ffmpeg is needed to record and was not found; install it");
    }
    return Movie(path, ends[1], process);
}

Movie::Movie(Movie&& other) noexcept
    : path_(std::move(other.path_)),
      pipe_(std::exchange(other.pipe_, -1)),
      process_(std::exchange(other.process_, -1)) {}

Movie& Movie::operator=(Movie&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(pipe_, other.pipe_);
    std::swap(process_, other.process_);
    return *this;
}

Movie::~Movie() { close(); }

bool Movie::add(const Image& image) {
    const std::uint8_t* at = image.rgb.data();
    std::size_t left = image.rgb.size();
    while (pipe_ >= 0 && left > 0) {
        const ssize_t written = write(pipe_, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        at += written;
        left -= static_cast<std::size_t>(written);
    }
    return pipe_ >= 0;
}

std::optional<io::Error> Movie::close() {
    if (process_ < 0) return {};
    ::close(std::exchange(pipe_, -1));
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        return movie_error(path_, "ffmpeg is needed to record and was not found; install it");
    }
    return movie_error(path_, "ffmpeg could not write the movie");
}

} // namespace twang::demo
