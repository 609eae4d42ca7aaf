// The host's job system in the place of the world's threads: whatever it does with the jobs, at
// once, on threads of its own or only when it is waited for, the bits are the same; every ticket is
// waited for once, on the caller's thread, and none comes after the world is gone.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "api_support.hpp"

using namespace api;

namespace {

enum class When { at_once, in_wait, on_threads };

// A host that keeps account.
class Host {
public:
    struct Ticket {
        twang_job job;
        void* data;
        std::int32_t count;
        int waits = 0;
        std::int32_t left; // on threads: not yet run
    };
    explicit Host(When when) : when_(when) {
        for (int k = 0; when == When::on_threads && k < 3; ++k)
            threads_.emplace_back([this] { work(); });
    }
    ~Host() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    twang_job_system system() {
        return {[](void* user, twang_job job, void* data, std::int32_t count) {
                    return static_cast<Host*>(user)->submit(job, data, count);
                },
                [](void* user, void* ticket) {
                    static_cast<Host*>(user)->wait(static_cast<Ticket*>(ticket));
                },
                this};
    }

    // All calls came from this thread, and each ticket was waited for once.
    bool in_order() const {
        bool once = true;
        for (const auto& ticket : tickets_) once = once && ticket->waits == 1;
        return once && elsewhere_ == 0;
    }
    std::size_t submitted() const { return tickets_.size(); }
    int not_waited_for() const {
        int count = 0;
        for (const auto& ticket : tickets_) count += ticket->waits == 0;
        return count;
    }

private:
    void* submit(twang_job job, void* data, std::int32_t count) {
        elsewhere_ += std::this_thread::get_id() != caller_;
        tickets_.push_back(std::make_unique<Ticket>(Ticket{job, data, count, 0, count}));
        Ticket* ticket = tickets_.back().get();
        if (when_ == When::at_once)
            for (std::int32_t index = count; index-- > 0;) job(data, index);
        if (when_ == When::on_threads) {
            const std::lock_guard lock(mutex_);
            for (std::int32_t index = 0; index < count; ++index) queue_.push_back({ticket, index});
        }
        changed_.notify_all();
        return ticket;
    }
    void wait(Ticket* ticket) {
        elsewhere_ += std::this_thread::get_id() != caller_;
        if (++ticket->waits > 1) return;
        if (when_ == When::in_wait)
            for (std::int32_t index = 0; index < ticket->count; ++index)
                ticket->job(ticket->data, index);
        if (when_ != When::on_threads) return;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ticket->left == 0; });
    }
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            const auto [ticket, index] = queue_.front();
            queue_.pop_front();
            lock.unlock();
            ticket->job(ticket->data, index);
            lock.lock();
            if (--ticket->left == 0) changed_.notify_all();
        }
    }

    const When when_;
    const std::thread::id caller_ = std::this_thread::get_id();
    int elsewhere_ = 0;
    std::vector<std::unique_ptr<Ticket>> tickets_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<Ticket*, std::int32_t>> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

constexpr When every_way[] = {When::at_once, When::in_wait, When::on_threads};

std::vector<double> halves(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return std::vector<double>(info.springs, 0.5);
}

// A large body, a crowd of small ones, and factors made behind them.
struct Busy {
    Model large, small;
    World world;
    std::vector<twang_body> bodies;
    explicit Busy(int workers, const twang_job_system& jobs = {}, int delay = 3)
        : large(cloth(sanitized ? 12 : 56, 56)), small(cloth(9, 9)) {
        twang_world_def def = plain();
        def.workers = workers;
        def.jobs = jobs;
        def.refactor_delay = delay;
        def.solver.iterations = 4;
        world = make_world(def);
        bodies.push_back(add(world, large, {0}));
        for (int k = 0; k < 9; ++k) bodies.push_back(add(world, small, {0, 8}));
    }
    void soften(std::size_t body) {
        const auto scales = halves(body == 0 ? large : small);
        EXPECT_TRUE(ok(twang_body_scale_stiffness(world.get(), bodies[body], nullptr, scales.data(),
                                                  scales.size())));
    }
    std::vector<std::uint64_t> run() {
        EXPECT_TRUE(steps(world, 2));
        soften(0);
        soften(4);
        soften(5);
        EXPECT_TRUE(steps(world, 4));
        EXPECT_TRUE(ok(twang_world_set_time_step(world.get(), 0.01)));
        EXPECT_TRUE(steps(world, 6));
        std::vector<std::uint64_t> words;
        for (const twang_body body : bodies)
            for (const std::uint64_t word : bits(world, body)) words.push_back(word);
        return words;
    }
};

} // namespace

TEST(HostJobs, HaveTheBitsOfTheWorldsOwnThreads) {
    const auto expected = Busy(1).run();
    EXPECT_TRUE(same(Busy(3).run(), expected));
    std::size_t orders = 0; // of factors
    for (const When when : every_way)
        for (const int workers : {0, 1, 2, 4}) {
            Host host(when);
            Busy busy(workers, host.system());
            EXPECT_TRUE(same(busy.run(), expected)) << static_cast<int>(when) << ' ' << workers;
            EXPECT_EQ(precomputation(busy.world, busy.bodies[0]).factorings, 3);
            if (workers == 1) orders = host.submitted();
            if (workers > 1) {
                EXPECT_GT(host.submitted(), orders);
            }
            if (workers > 1 && when == When::at_once) {
                EXPECT_GT(host.submitted(), sanitized ? 10u : 100u) << "they do the work";
            }
            if (workers > 1 && when == When::in_wait) {
                EXPECT_EQ(host.submitted(), orders + 1)
                    << "jobs that do not come are not waited for";
            }
            busy.world.reset();
            EXPECT_TRUE(host.in_order()) << static_cast<int>(when) << ' ' << workers;
            if (workers == 0) {
                EXPECT_EQ(host.submitted(), 0u) << "really no other";
            }
        }
}

TEST(HostJobs, FactorsAreWaitedForWhenDueAndNotBefore) {
    for (const When when : every_way) {
        Host host(when);
        twang_world_def def = plain();
        def.jobs = host.system();
        def.refactor_delay = 5;
        Scene s(8, 8, def, {0});
        ASSERT_TRUE(steps(s.world, 2));
        EXPECT_EQ(host.submitted(), 0u) << "one worker needs nobody";
        const auto scales = halves(s.model);
        ASSERT_TRUE(ok(twang_body_scale_stiffness(s.world.get(), s.body, nullptr, scales.data(),
                                                  scales.size())));
        for (int step = 0; step < 5; ++step) {
            ASSERT_TRUE(steps(s.world, 1));
            EXPECT_EQ(host.submitted(), 1u);
            EXPECT_EQ(host.not_waited_for(), 1) << step;
            EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);
        }
        ASSERT_TRUE(steps(s.world, 1));
        EXPECT_EQ(host.not_waited_for(), 0);
        EXPECT_EQ(precomputation(s.world, s.body).factorings, 2);
        EXPECT_TRUE(host.in_order());
    }
}

TEST(HostJobs, BodiesThatOrderTheSameShareOneJob) {
    for (const When when : every_way) {
        Host host(when);
        twang_world_def def = plain();
        def.jobs = host.system();
        def.refactor_delay = 2;
        const Model model = cloth(8, 8);
        World world = make_world(def);
        const twang_body bodies[] = {add(world, model, {0}), add(world, model, {0}),
                                     add(world, model, {7})};
        ASSERT_TRUE(ok(twang_world_set_time_step(world.get(), 0.01)));
        ASSERT_TRUE(steps(world, 4));
        EXPECT_EQ(host.submitted(), 2u) << "two sets of pins";
        for (const twang_body body : bodies) EXPECT_EQ(precomputation(world, body).factorings, 2);
        world.reset();
        EXPECT_TRUE(host.in_order());
    }
}

TEST(HostJobs, AWorldThatEndsWaitsForWhatItHasOrdered) {
    for (const When when : every_way) {
        Host host(when);
        Busy busy(2, host.system(), 100);
        busy.soften(0);
        busy.soften(3);
        ASSERT_TRUE(steps(busy.world, 2));
        // The orders, and one job that helps in steps if that has not run.
        EXPECT_GE(host.not_waited_for(), 2);
        EXPECT_LE(host.not_waited_for(), when == When::at_once ? 2 : 3);
        ASSERT_TRUE(ok(twang_body_destroy(busy.world.get(), busy.bodies[3]))) << "its order stays";
        ASSERT_TRUE(ok(twang_body_reset(busy.world.get(), busy.bodies[0])));
        ASSERT_TRUE(steps(busy.world, 1));
        busy.world.reset();
        EXPECT_TRUE(host.in_order());
    }
}

TEST(HostJobs, SnapshotsRestoreOrdersThroughIt) {
    for (const When when : every_way) {
        Host host(when);
        Busy busy(2, host.system(), 6), own(1, {}, 6);
        for (Busy* each : {&busy, &own}) {
            each->soften(0);
            ASSERT_TRUE(steps(each->world, 2));
        }
        const auto saved = snapshot(own.world);
        ASSERT_TRUE(steps(own.world, 8));
        ASSERT_TRUE(steps(busy.world, 12));
        ASSERT_TRUE(ok(twang_world_restore(busy.world.get(), saved.data(), saved.size())));
        ASSERT_TRUE(steps(busy.world, 8));
        EXPECT_TRUE(same(bits(busy.world, busy.bodies[0]), bits(own.world, own.bodies[0])));
        busy.world.reset();
        EXPECT_TRUE(host.in_order());
    }
}

namespace {

// A factor is ordered for each of three pins released, from step 0 on, and taken six steps later;
// pins and grabs change between.
struct Changing {
    Scene scene;
    explicit Changing(int workers, const twang_job_system& jobs = {})
        : scene(20, 20, def_of(workers, jobs), {0, 19, 200}) {}
    static twang_world_def def_of(int workers, const twang_job_system& jobs) {
        twang_world_def def = plain();
        def.workers = workers;
        def.jobs = jobs;
        def.refactor_delay = 6;
        return def;
    }
    void play(std::uint32_t begin, std::uint32_t end) {
        twang_world* w = scene.world.get();
        for (std::uint32_t step = begin; step < end; ++step) {
            const auto pin = [&](std::uint32_t vertex) {
                EXPECT_TRUE(ok(twang_body_pin(w, scene.body, vertex)));
            };
            if (step % 9 == 0) {
                const std::uint32_t released[] = {19, 200, 0};
                EXPECT_TRUE(ok(twang_body_unpin(w, scene.body, released[step / 9])));
            }
            if (step % 9 == 2) pin(205 + step), pin(231 + step), pin(77 + step);
            if (step % 9 == 4) pin(320 + step);
            if (step == 3) {
                twang_grab_def grab;
                grab.vertices[0] = 150;
                grab.target = {0.1, 0.2, 0.3};
                twang_grab made{};
                EXPECT_TRUE(ok(twang_body_grab(w, scene.body, &grab, &made)));
            }
            EXPECT_TRUE(steps(scene.world, 1));
        }
    }
    std::vector<std::uint64_t> state() const {
        EXPECT_EQ(precomputation(scene.world, scene.body).factorings, 4);
        return bits(scene.world, scene.body);
    }
};

} // namespace

// What changed while a factor was under way is looked for behind the world as well; who found it,
// and when, is not in the bits.
TEST(HostJobs, FitWhatTheyMadeToWhatChangedSince) {
    Changing in_frames(0);
    in_frames.play(0, 27);
    const auto expected = in_frames.state();
    for (const int workers : {1, 3}) {
        Changing own(workers);
        own.play(0, 27);
        EXPECT_TRUE(same(own.state(), expected)) << workers;
    }
    for (const When when : every_way) {
        Host host(when);
        Changing s(1, host.system());
        s.play(0, 2);
        EXPECT_EQ(host.submitted(), 1u) << "nothing to fit yet";
        s.play(2, 3);
        if (when == When::at_once) {
            EXPECT_EQ(host.submitted(), 2u) << "three pins";
        }
        s.play(3, 5);
        if (when == When::at_once) {
            EXPECT_EQ(host.submitted(), 4u) << "a grab, and a pin";
        }
        if (when == When::in_wait) {
            EXPECT_EQ(host.submitted(), 1u) << "made when due, and then in the frame";
        }
        const auto saved = snapshot(s.scene.world);
        s.play(5, 27);
        EXPECT_TRUE(same(s.state(), expected)) << static_cast<int>(when);
        ASSERT_TRUE(ok(twang_world_restore(s.scene.world.get(), saved.data(), saved.size())));
        s.play(5, 27); // takes the same again, and leaves what was under way
        EXPECT_TRUE(same(bits(s.scene.world, s.scene.body), expected)) << static_cast<int>(when);
        s.scene.world.reset();
        EXPECT_TRUE(host.in_order());
    }
}

TEST(HostJobs, WhenReadyTakesWhatTheHostHasMade) {
    Host host(When::on_threads);
    Busy busy(1, host.system(), TWANG_WHEN_READY);
    busy.soften(1);
    for (int k = 0; k < 2000 && precomputation(busy.world, busy.bodies[1]).factorings < 2; ++k) {
        ASSERT_TRUE(steps(busy.world, 1));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(precomputation(busy.world, busy.bodies[1]).factorings, 2);
    busy.world.reset();
    EXPECT_TRUE(host.in_order());
}

TEST(HostJobs, NeedBothFunctionsOrNeither) {
    Host host(When::at_once);
    for (const bool submit_only : {true, false}) {
        twang_world_def def = plain();
        def.jobs = host.system();
        if (submit_only)
            def.jobs.wait = nullptr;
        else
            def.jobs.submit = nullptr;
        twang_world* world = nullptr;
        EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "both", twang_world_create(&def, &world)));
        EXPECT_EQ(world, nullptr);
    }
}

#if defined(__linux__)
TEST(HostJobs, TheWorldStartsNoThreadOfItsOwn) {
    const auto threads = [] {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    Host host(When::in_wait);
    const auto before = threads();
    Busy busy(4, host.system());
    busy.run();
    EXPECT_EQ(threads(), before);
    Busy alone(0);
    alone.run();
    EXPECT_EQ(threads(), before) << "nor without a host, with 0 workers";
}
#endif
