// memory: the large arrays come from the host's allocator and go back to it, to the byte; where it
// has no more, calls answer OUT_OF_MEMORY.
#include "base/memory.hpp"

#include <atomic>
#include <cstdlib>

#include "allocation_hooks.hpp"
#include "api_support.hpp"

using namespace api;

namespace {

struct Host {
    std::atomic<long> blocks{0}, bytes{0}, taken{0};
    std::atomic<long> left{1'000'000'000'000}; // bytes it will still give

    twang_allocator allocator() {
        twang_allocator made{};
        made.user = this;
        made.allocate = [](void* user, size_t bytes, size_t alignment) -> void* {
            Host& host = *static_cast<Host*>(user);
            if ((host.left -= static_cast<long>(bytes)) < 0) return nullptr;
            ++host.blocks;
            host.bytes += static_cast<long>(bytes);
            host.taken += static_cast<long>(bytes);
            return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        };
        made.release = [](void* user, void* memory, size_t bytes) {
            Host& host = *static_cast<Host*>(user);
            --host.blocks;
            host.bytes -= static_cast<long>(bytes);
            std::free(memory);
        };
        return made;
    }
};

twang_model* make_cloth(Host& host, std::uint32_t side) {
    twang_cloth_def def;
    def.columns = def.rows = side;
    def.allocator = host.allocator();
    twang_model* model = nullptr;
    EXPECT_TRUE(ok(twang_model_create_cloth(&def, &model)));
    return model;
}

} // namespace

TEST(Memory, AllComesFromTheHostAndGoesBack) {
    Host host;
    twang_model* model = make_cloth(host, 30);
    EXPECT_GT(host.bytes.load(), 0);
    twang_world_def def = plain();
    def.allocator = host.allocator();
    def.workers = 2;
    twang_world* world = nullptr;
    ASSERT_TRUE(ok(twang_world_create(&def, &world)));
    const std::uint32_t pins[] = {0, 29};
    twang_body_def body_def;
    body_def.pins = pins;
    body_def.pin_count = 2;
    twang_body body{};
    ASSERT_TRUE(ok(twang_body_create(world, model, &body_def, &body)));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ok(twang_world_step(world)));
    const long before = host.taken.load();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ok(twang_world_step(world)));
    EXPECT_EQ(host.taken.load(), before) << "a step takes nothing";
    ASSERT_TRUE(ok(twang_world_set_time_step(world, 0.01))); // a factor from the thread behind
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(ok(twang_world_step(world)));
    EXPECT_GT(host.taken.load(), before);
    ASSERT_TRUE(ok(twang_model_destroy(&model)));
    ASSERT_TRUE(ok(twang_world_destroy(&world)));
    EXPECT_EQ(host.blocks.load(), 0);
    EXPECT_EQ(host.bytes.load(), 0);
}

TEST(Memory, TheLargeArraysAreMostOfAll) {
    if (!hooks::sees_malloc) GTEST_SKIP() << "a sanitizer has malloc for itself";
    Host host;
    const long before = hooks::live_bytes;
    twang_model* model = make_cloth(host, 60);
    twang_world_def def = plain();
    def.allocator = host.allocator();
    twang_world* world = nullptr;
    ASSERT_TRUE(ok(twang_world_create(&def, &world)));
    twang_body_def body_def;
    twang_body body{};
    ASSERT_TRUE(ok(twang_body_create(world, model, &body_def, &body)));
    ASSERT_TRUE(ok(twang_world_step(world)));
    const double all = static_cast<double>(hooks::live_bytes - before);
    const double share = static_cast<double>(host.bytes.load()) / all;
    RecordProperty("share", std::to_string(share));
    EXPECT_GT(share, 0.65) << "what twang.h says";
    ASSERT_TRUE(ok(twang_model_destroy(&model)));
    ASSERT_TRUE(ok(twang_world_destroy(&world)));
}

TEST(Memory, WhereTheHostHasNoMoreTheCallSaysSo) {
    Host host;
    twang_model* model = make_cloth(host, 20);
    twang_world_def def = plain();
    def.allocator = host.allocator();
    twang_world* world = nullptr;
    ASSERT_TRUE(ok(twang_world_create(&def, &world)));
    const twang_body_def body_def;
    twang_body body{};
    const long blocks = host.blocks.load();
    host.left = 1000;
    EXPECT_TRUE(fails(TWANG_OUT_OF_MEMORY, "", twang_body_create(world, model, &body_def, &body)));
    EXPECT_EQ(host.blocks.load(), blocks) << "nothing is lost";
    host.left = 1'000'000'000;
    EXPECT_TRUE(ok(twang_body_create(world, model, &body_def, &body)));
    EXPECT_TRUE(ok(twang_world_step(world)));
    ASSERT_TRUE(ok(twang_model_destroy(&model)));
    ASSERT_TRUE(ok(twang_world_destroy(&world)));
    EXPECT_EQ(host.blocks.load(), 0);
}

TEST(Memory, HalfAnAllocatorIsNone) {
    Host host;
    twang_world_def def = plain();
    def.allocator = host.allocator();
    def.allocator.release = nullptr;
    twang_world* world = nullptr;
    EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "allocator", twang_world_create(&def, &world)));
    twang_cloth_def cloth;
    cloth.allocator = host.allocator();
    cloth.allocator.allocate = nullptr;
    twang_model* model = nullptr;
    EXPECT_TRUE(
        fails(TWANG_INVALID_ARGUMENT, "allocator", twang_model_create_cloth(&cloth, &model)));
}

TEST(Memory, BlocksAreOnCacheLines) {
    for (const std::size_t bytes : {1u, 63u, 64u, 1000u}) {
        void* memory = twang::core::allocate_memory(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
        twang::core::free_memory(memory);
    }
    twang::core::free_memory(nullptr);
}
