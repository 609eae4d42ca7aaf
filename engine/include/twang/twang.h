/* Twang: real-time mass-spring simulation by the local-global method.
 *
 * WHAT IT IS
 *   Implicit time steps for springs, solved as a minimisation: BDF2 (second order) or implicit
 *   Euler. A matrix Q (inertia + springs + pins) is factored once; every iteration of every frame
 *   is then one parallel pass over the springs and one back-substitution (Liu, Bargteil, O'Brien,
 *   Kavan: Fast Simulation of Mass-Spring Systems, 2013). Newton's method and other integrators
 *   run on the same bodies, for comparison.
 *
 * WHAT IT IS NOT
 *   The library reads no files, prints nothing, draws nothing and keeps no global state. No
 *   result depends on a clock, except with a budget in milliseconds.
 *
 * STEP BY STEP
 *   1. twang_model_create_cloth / _mesh   a validated, immutable topology; share it between bodies
 *   2. twang_world_create                 time step, gravity, workers, default solver
 *   3. twang_body_create                  a moving instance of a model: assembles and factors Q
 *   4. twang_body_pin ...                 queued; takes effect at the start of the next step
 *   5. twang_world_step                   one time step for all bodies
 *   6. twang_body_positions               float xyz per vertex, ready for a vertex buffer
 *
 * RULES
 *   Units are SI: metres, kilograms, seconds, newtons. Vectors are (x, y, z); y is up by custom.
 *   Every call returns a status. On an error the object is as it was before the call, and
 *   twang_last_error() (per thread) says what was wrong, with the offending index.
 *   A world is used by one thread at a time: a second thread, or a callback, gets TWANG_BUSY.
 *   Different worlds are independent. Models may be shared between worlds and threads.
 *   The same calls give the same bits for any number of workers.
 *
 * Definition structs carry their defaults: in C++ as member initialisers, in C through the
 * twang_default_... functions. */
#ifndef TWANG_H
#define TWANG_H

#include <stddef.h>
#include <stdint.h>

#if defined(TWANG_SHARED) && defined(_WIN32)
#ifdef TWANG_BUILDING
#define TWANG_API __declspec(dllexport)
#else
#define TWANG_API __declspec(dllimport)
#endif
#elif defined(TWANG_SHARED)
#define TWANG_API __attribute__((visibility("default")))
#else
#define TWANG_API
#endif

#ifdef __cplusplus
#define TWANG_DEFAULT(value) = value
#define TWANG_INT : int /* C passes any int for an enum; it is checked, so it must be readable */
extern "C" {
#else
#define TWANG_DEFAULT(value)
#define TWANG_INT
#endif

#define TWANG_VERSION_MAJOR 0
#define TWANG_VERSION_MINOR 2
#define TWANG_VERSION_PATCH 0

/* ---- Status ---------------------------------------------------------------------------------- */

/* name, what it means */
#define TWANG_STATUS_TABLE(X)                                                                 \
    X(OK, "no error")                                                                         \
    X(INVALID_ARGUMENT, "a null pointer, a foreign handle or an argument that means nothing") \
    X(STALE_HANDLE, "the handle's object was destroyed")                                      \
    X(NOT_FINITE, "a number is NaN or infinite")                                              \
    X(OUT_OF_RANGE, "a number is outside its legal range")                                    \
    X(INDEX_OUT_OF_RANGE, "an index points outside its array")                                \
    X(UNSUPPORTED, "this combination of solver, energy or build cannot do that")              \
    X(FACTOR_FAILED, "the matrix could not be factored")                                      \
    X(ILL_CONDITIONED, "the matrix was factored but its solutions cannot be trusted")         \
    X(DIVERGED, "a body became infinite or exploded; it was rolled back and disabled")        \
    X(NO_EQUILIBRIUM, "the static problem has no solution, or none was reached")              \
    X(OUT_OF_MEMORY, "an allocation failed")                                                  \
    X(TOO_LARGE, "a count exceeds what the engine can index")                                 \
    X(BUSY, "the world is stepping, or another thread is inside it")                          \
    X(BAD_SNAPSHOT, "the snapshot is truncated or corrupt")                                   \
    X(VERSION_MISMATCH, "the snapshot was made by another version")                           \
    X(MESH_MISMATCH, "the snapshot belongs to other models")                                  \
    X(INTERNAL, "a defect in Twang itself; please report it")

typedef enum twang_status TWANG_INT {
#define TWANG_STATUS_ENUM(name, text) TWANG_##name,
    TWANG_STATUS_TABLE(TWANG_STATUS_ENUM)
#undef TWANG_STATUS_ENUM
        TWANG_STATUS_COUNT
} twang_status;

/* The name without its prefix, as "OUT_OF_RANGE"; "?" for a number that is no status. */
TWANG_API const char* twang_status_name(twang_status status);
/* The sentence from the table above. */
TWANG_API const char* twang_status_text(twang_status status);
/* Message of the last failed call of this thread, with the index; "" before any failure. */
TWANG_API const char* twang_last_error(void);
/* For wrappers such as twang.hpp, which check arguments that a call in C cannot contain: sets the
 * last error to the text and returns TWANG_INVALID_ARGUMENT. */
TWANG_API twang_status twang_refuse(const char* reason);

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct twang_vec3 {
    double x, y, z;
} twang_vec3;

/* A rotation: (axis * sin(angle / 2), cos(angle / 2)), of any length above 0. 0 0 0 1: no
 * rotation. */
typedef struct twang_quaternion {
    double x, y, z, w;
} twang_quaternion;

typedef enum twang_spring_kind TWANG_INT {
    TWANG_STRUCTURAL, /* along an edge of the mesh; counted in the stretch figures */
    TWANG_SHEAR,      /* across a quad */
    TWANG_BEND        /* from face to face across their common edge */
} twang_spring_kind;

typedef enum twang_energy TWANG_INT {
    TWANG_HOOKE, /* k/2 (l - r)^2 */
    TWANG_STVK   /* k/2 r^2 (l^2/r^2 - 1)^2; not for local-global; needs rest lengths above 0 */
} twang_energy;

typedef enum twang_solver TWANG_INT {
    TWANG_SOLVER_LOCAL_GLOBAL, /* local-global: alternates projection of the springs and a solve with the
                           constant factor of Q */
    TWANG_SOLVER_NEWTON,       /* projected Hessian, direct factorisation, line search: the reference */
    TWANG_SOLVER_NEWTON_CG, /* as newton, with linear systems solved by conjugate gradients, preconditioned
                        by Q */
    TWANG_SOLVER_LINEAR,    /* linearly implicit Euler: one linear solve a step */
    TWANG_SOLVER_SYMPLECTIC, /* symplectic Euler: cheap, unstable with stiff springs; pins are exact */
    TWANG_SOLVER_STATIC      /* each step jumps to equilibrium; velocities become 0 */
} twang_solver;

/* Acceleration of local-global. All but TWANG_ACCELERATION_NONE monitor the objective: an iteration that
 * lowers it by less than an unaccelerated one is guaranteed to is replaced by the unaccelerated
 * one. */
typedef enum twang_acceleration TWANG_INT {
    TWANG_ACCELERATION_NONE,     /* unaccelerated */
    TWANG_ACCELERATION_CHEBYSHEV, /* Chebyshev weights for an assumed rate of convergence; least memory */
    TWANG_ACCELERATION_ANDERSON,  /* Anderson mixing: least squares over the last 5 corrections */
    TWANG_ACCELERATION_LBFGS,     /* quasi-Newton over the last 5 corrections, with Q as the first Hessian */
    TWANG_ACCELERATION_TWO_LEVEL  /* a Newton correction on a coarse grid in every iteration, L-BFGS from the
                        fourth on: 2 or 3 iterations move like the converged step */
} twang_acceleration;

/* Time integration of local-global, newton and newton-cg; the other solvers are integrators of
 * their own. Implicit Euler is used in any case for vertices that touch a collider (with one or two
 * iterations for their whole body), for bodies with a pressure, for bodies while they touch other
 * bodies, and for all bodies in a world with penalty spheres: these forces are sudden, or stiff and
 * one step late. */
typedef enum twang_integrator TWANG_INT {
    TWANG_IMPLICIT_EULER, /* first order: robust, damped far beyond the springs' own damping */
    TWANG_BDF2 /* second order, from the last two states, at the same cost. The first step, and the
                  step after positions or velocities were set or the time step changed, is one of
                  implicit Euler. A force that lasts for one step delivers 2/3 of its impulse in it,
                  2/9 in the next and so on. */
} twang_integrator;

typedef enum twang_pin_method TWANG_INT {
    TWANG_PIN_PENALTY,    /* a stiff spring in Q; accurate to 1e-6 of the body's size */
    TWANG_PIN_ELIMINATION /* exact: the vertex is removed from the system */
} twang_pin_method;

/* Precision in which the factor of Q is stored. The state is double in any case. */
typedef enum twang_precision TWANG_INT {
    TWANG_PRECISION_FLOAT,  /* fastest while the factor fits into the cache */
    TWANG_PRECISION_DOUBLE, /* for systems too ill-conditioned for float */
    TWANG_PRECISION_HALF,   /* half the memory traffic; sums are in float. Float where half is too coarse, as
                     with hundreds of adjacent pins: see twang_precomputation */
    TWANG_PRECISION_BEST    /* float; half if the factor exceeds the cache, double where float fails */
} twang_precision;

/* Which machines give the same bits. */
typedef enum twang_arithmetic TWANG_INT {
    TWANG_ARITHMETIC_FAST,    /* the best instructions: the same bits on the same kind of machine */
    TWANG_ARITHMETIC_PORTABLE /* scalar double arithmetic: the same bits on every machine, with every compiler
                      and optimisation level; several times slower */
} twang_arithmetic;

#define TWANG_MEASURED (-1.0)      /* a rest length taken from the rest positions */
#define TWANG_SAME (-1.0)          /* kinetic_friction: as friction; end_radius: as radius */
#define TWANG_END 0xFFFFFFFFu      /* separates the polygons or polylines in a list of indices */
#define TWANG_ALL_CORES 0x7FFFFFFF /* workers: one per core */
#define TWANG_BY_SHAPE (-1)        /* between_vertices: on for boxes and meshes */
#define TWANG_BY_SIZE (-1)    /* refactor_delay: 12 steps and one more for every 200 vertices */
#define TWANG_WHEN_READY (-2) /* refactor_delay: when the factor is ready; machine-dependent */
#define TWANG_MAX_WORKERS 256

/* Memory from the host for the large arrays (vertices, springs, factors, scratch of the steps),
 * about seven tenths of all. Smaller lists, and the memory of the sparse library while it
 * factors, come from the C++ and C libraries. Blocks must be aligned as requested; allocate
 * returns NULL when there is no more memory. Both functions may be called from the world's
 * background thread and from the host's jobs, and release as long as a model or world lives. */
typedef struct twang_allocator {
    void* (*allocate)(void* user, size_t bytes, size_t alignment)TWANG_DEFAULT(NULL);
    void (*release)(void* user, void* memory, size_t bytes) TWANG_DEFAULT(NULL);
    void* user TWANG_DEFAULT(NULL);
} twang_allocator;

/* ---- Models ---------------------------------------------------------------------------------- */

/* An immutable spring network. Bodies keep a reference: a model may be destroyed at any time. */
typedef struct twang_model twang_model;

/* A rectangular cloth of columns x rows vertices; vertex r * columns + c sits at
 * origin + spacing * (c * across + r * down). A single row or column is a thread, without shear and
 * bend springs. */
typedef struct twang_cloth_def {
    uint32_t columns TWANG_DEFAULT(33);     /* >= 1 */
    uint32_t rows TWANG_DEFAULT(33);        /* >= 1 */
    double spacing TWANG_DEFAULT(0.03);     /* m between neighbours, > 0 */
    double mass TWANG_DEFAULT(0.2);         /* kg in all, > 0, by area; cloth: 0.1 ... 1 per m^2 */
    double stiffness TWANG_DEFAULT(1000.0); /* N/m of the springs between neighbours, >= 0 */
    double shear TWANG_DEFAULT(1000.0);  /* N/m of both diagonals of a cell; 0: no such springs */
    double bend TWANG_DEFAULT(100.0);    /* N/m of the springs that skip a vertex; 0: none */
    twang_vec3 origin TWANG_DEFAULT({}); /* m; 0 0 0 */
    twang_vec3 across TWANG_DEFAULT((twang_vec3{1.0, 0.0, 0.0})); /* direction of a row */
    twang_vec3 down TWANG_DEFAULT((twang_vec3{0.0, -1.0, 0.0}));  /* direction of a column */
    twang_allocator allocator TWANG_DEFAULT({});                  /* both functions, or neither */
} twang_cloth_def;

typedef struct twang_spring_def {
    uint32_t a TWANG_DEFAULT(0); /* vertices */
    uint32_t b TWANG_DEFAULT(0);
    double stiffness TWANG_DEFAULT(1000.0);           /* N/m, >= 0 */
    double rest_length TWANG_DEFAULT(TWANG_MEASURED); /* m, >= 0, or TWANG_MEASURED */
    twang_spring_kind kind TWANG_DEFAULT(TWANG_STRUCTURAL);
} twang_spring_def;

/* Springs from faces, tetrahedra, polylines and an explicit list, in any mixture. Every side of a
 * face, edge of a tetrahedron and segment of a polyline is one spring. Where several sources name
 * the same pair of vertices, the explicit spring has precedence, then structural, shear, bend.
 * All arrays are copied. Indices count from 0. */
typedef struct twang_mesh_def {
    const double* positions TWANG_DEFAULT(NULL);   /* xyz per vertex, m: the rest shape */
    uint32_t vertex_count TWANG_DEFAULT(0);        /* >= 1 */
    const uint32_t* triangles TWANG_DEFAULT(NULL); /* 3 indices each */
    uint32_t triangle_count TWANG_DEFAULT(0);
    const uint32_t* quads TWANG_DEFAULT(NULL); /* 4 indices each, in order around the face */
    uint32_t quad_count TWANG_DEFAULT(0);
    const uint32_t* polygons
        TWANG_DEFAULT(NULL); /* faces of any size >= 3; TWANG_END between them */
    uint32_t polygon_index_count TWANG_DEFAULT(0);
    const uint32_t* tetrahedra TWANG_DEFAULT(NULL); /* 4 indices each */
    uint32_t tetrahedron_count TWANG_DEFAULT(0);
    const uint32_t* polylines TWANG_DEFAULT(NULL); /* TWANG_END between the lines */
    uint32_t polyline_index_count TWANG_DEFAULT(0);
    const twang_spring_def* springs TWANG_DEFAULT(NULL);
    uint32_t spring_count TWANG_DEFAULT(0);
    double stiffness TWANG_DEFAULT(1000.0); /* N/m of derived structural springs, >= 0 */
    double shear TWANG_DEFAULT(0.0);        /* N/m of both diagonals of every quad; 0: none */
    double bend TWANG_DEFAULT(0.0);         /* N/m across every inner edge of faces; 0: none */
    /* Masses: the first of these three that is given counts. */
    const double* masses TWANG_DEFAULT(NULL); /* kg per vertex, > 0 */
    double density
        TWANG_DEFAULT(0.0); /* kg per m^3 of tetrahedra, m^2 of faces, m of lines; 0: unset */
    double mass TWANG_DEFAULT(1.0); /* kg in all, > 0, distributed as by a density (evenly where
                                       there is no extent to measure) */
    twang_allocator allocator TWANG_DEFAULT({}); /* both functions, or neither */
} twang_mesh_def;

/* Parts of a mesh that were dropped or changed. */
typedef struct twang_model_notes {
    uint32_t self_edges;        /* dropped */
    uint32_t duplicate_edges;   /* pairs listed more than once in springs or polylines: merged */
    uint32_t degenerate_faces;  /* triangles, quads, tetrahedra with a repeated vertex: dropped */
    uint32_t isolated_vertices; /* vertices without a spring: kept; without an area of their own,
                                   they get the mean mass */
} twang_model_notes;

typedef struct twang_model_info {
    uint32_t vertices;
    uint32_t springs;
    uint32_t triangles; /* for drawing and wind: the faces, quads split in two; without faces, the
                           surface of the tetrahedra */
    double mass;        /* kg in all */
    double size;        /* m: the diagonal of the rest shape's bounding box */
    double order_ms;    /* time spent on the fill-reducing ordering */
    double volume;      /* m^3 enclosed by the triangles at rest; 0: they enclose none */
    twang_model_notes notes;
} twang_model_info;

TWANG_API twang_status twang_default_cloth(twang_cloth_def* def);
TWANG_API twang_status twang_default_mesh(twang_mesh_def* def);
TWANG_API twang_status twang_default_spring(twang_spring_def* def);
TWANG_API twang_status twang_model_create_cloth(const twang_cloth_def* def, twang_model** model);
TWANG_API twang_status twang_model_create_mesh(const twang_mesh_def* def, twang_model** model);
/* Drops this reference to the model and sets *model to NULL. */
TWANG_API twang_status twang_model_destroy(twang_model** model);
TWANG_API twang_status twang_model_get_info(const twang_model* model, twang_model_info* info);
/* Copies arrays of the model. `count` must be the number of elements that the model has. */
TWANG_API twang_status twang_model_copy_springs(const twang_model* model, twang_spring_def* springs,
                                                size_t count);
TWANG_API twang_status twang_model_copy_triangles(const twang_model* model, uint32_t* indices,
                                                  size_t index_count);
TWANG_API twang_status twang_model_copy_masses(const twang_model* model, double* masses,
                                               size_t count);
TWANG_API twang_status twang_model_copy_rest_positions(const twang_model* model, double* xyz,
                                                       size_t vertex_count);

/* ---- Worlds ---------------------------------------------------------------------------------- */

typedef struct twang_world twang_world;

/* Handles are values that are checked at every use. A zeroed handle is never valid. */
typedef struct twang_body {
    uint32_t world, index, generation;
} twang_body;
typedef struct twang_collider {
    uint32_t world, index, generation;
} twang_collider;

/* Solver settings of a body. twang_default_solver gives the iterations and tolerance of each
 * solver. */
typedef struct twang_solver_def {
    twang_solver solver TWANG_DEFAULT(TWANG_SOLVER_LOCAL_GLOBAL);
    /* Most iterations in a substep, >= 1; 2 ... 50 for local-global. */
    int32_t iterations TWANG_DEFAULT(10);
    /* m/s, >= 0: stop after an iteration in which no vertex moves farther than tolerance *
     * time step; 0: never. */
    double tolerance TWANG_DEFAULT(0.0);
    twang_acceleration acceleration TWANG_DEFAULT(TWANG_ACCELERATION_TWO_LEVEL); /* of local-global */
    /* ms, >= 0: no iteration starts that would end later than this after the start of the
     * step, except the first; 0: no limit. Results then depend on the speed and load of the
     * machine. */
    double budget_ms TWANG_DEFAULT(0.0);
    /* A change waits for another factor of Q, see refactor_delay. */
    twang_integrator integrator TWANG_DEFAULT(TWANG_BDF2);
    /* 0 ... 1, of BDF2: from the small damping of BDF2 (0) to that of implicit Euler (1);
     * changes at once. */
    double numerical_damping TWANG_DEFAULT(0.0);
} twang_solver_def;

/* Progress within a step, reported on the caller's thread; calls into the world return BUSY. */
typedef struct twang_iteration {
    twang_body body;
    int32_t iteration; /* from 0 */
    double objective;  /* J: objective g at the start of this iteration */
    double residual;   /* m/s: largest move of a vertex in this iteration / time step */
} twang_iteration;
typedef void (*twang_iteration_callback)(void* user, const twang_iteration* iteration);

/* Job system of the host, used in place of threads of the world. Both functions are called on the
 * thread that has called into the world, and never after the world is destroyed.
 *
 * submit must arrange that job(data, index) runs once for every index below count, at any time
 * from now on, on any thread and in any order. Returns a ticket.
 *
 * wait returns when all jobs of the ticket have run. It is called once for every ticket, and may
 * run the jobs itself. (If jobs run nowhere else, a factor for TWANG_WHEN_READY is never ready.)
 *
 * A step does not wait for jobs that share its work and have not begun: it goes on without their
 * help. Their ticket is waited for when they have run, in a later step or when the world is
 * destroyed. A job that begins late helps with the work of that time, or finds none.
 *
 * Jobs do not wait for each other and do not throw. Most jobs take microseconds; a factorisation
 * of Q is one job of up to seconds, and is not waited for until the factor is due. */
typedef void (*twang_job)(void* data, int32_t index);
typedef struct twang_job_system {
    void* (*submit)(void* user, twang_job job, void* data, int32_t count)TWANG_DEFAULT(NULL);
    void (*wait)(void* user, void* ticket) TWANG_DEFAULT(NULL);
    void* user TWANG_DEFAULT(NULL);
} twang_job_system;

typedef struct twang_world_def {
    double time_step TWANG_DEFAULT(1.0 / 60.0); /* s, > 0, <= 1e6; 1/240 ... 1/30 */
    twang_vec3 gravity TWANG_DEFAULT((twang_vec3{0.0, -9.8, 0.0})); /* m/s^2 */
    /* Threads in all. 1: the caller's, and one in the background, mostly asleep, see
     * refactor_delay; 0: the caller's alone. */
    int32_t workers TWANG_DEFAULT(TWANG_ALL_CORES);
    twang_solver_def solver TWANG_DEFAULT({}); /* for bodies without solver settings of their own */
    twang_pin_method pin_method TWANG_DEFAULT(TWANG_PIN_PENALTY);
    twang_precision precision TWANG_DEFAULT(TWANG_PRECISION_BEST);
    twang_arithmetic arithmetic TWANG_DEFAULT(TWANG_ARITHMETIC_FAST);
    double damping TWANG_DEFAULT(0.0); /* 1/s, >= 0: velocity decays as exp(-damping t); 0 ... 2 */
    int32_t max_catch_up TWANG_DEFAULT(4); /* steps one twang_world_advance may take, >= 1 */
    /* Torn springs, scaled stiffness, another time step and many changed pins need another factor
     * of Q. A background thread makes the factor, and the body adopts it this many steps later,
     * on every machine: results are repeatable, and a step waits only if the factor is not ready
     * by then. 0: made within the step, at once. With 0 workers the factor is made in the step in
     * which it is due. */
    int32_t refactor_delay TWANG_DEFAULT(TWANG_BY_SIZE);
    /* Both functions, or neither. `workers` is then one more than the jobs that run at a time. */
    twang_job_system jobs TWANG_DEFAULT({});
    twang_allocator allocator TWANG_DEFAULT({}); /* both functions, or neither */
    /* A step is divided into this many substeps of time_step / substeps, 1 ... 1000; Q,
     * iterations and budget are those of a substep. Pins and colliders move evenly over the
     * substeps. More substeps dissipate less energy. */
    int32_t substeps TWANG_DEFAULT(1);
    /* A body whose mean speed was below sleep_speed (m/s, >= 0; 0.001 ... 0.01) for sleep_steps
     * steps in a row (>= 1) falls asleep: steps leave it out until it is woken by a changed pin,
     * force or setting, of its own or of the world, or by a collider that moves near it. Setting
     * the same value again wakes nothing. Bodies with triangles do not sleep while the air has
     * gusts. 0 (default): never, because a sleeping body does not settle any further. */
    double sleep_speed TWANG_DEFAULT(0.0);
    int32_t sleep_steps TWANG_DEFAULT(30);
} twang_world_def;

/* Air on the triangles of all bodies. Let s be the speed of the relative wind along the unit
 * normal n of a triangle, and m the part of n across the relative wind. The force on the triangle
 * is
 *   area * s * (drag * n + lift * m)
 * Drag presses along the normal; lift moves sails and wings sideways and takes no power from the
 * air. In a step the air accelerates a vertex at most to its own velocity: from about (drag +
 * lift) * area * time step = mass on, a body moves with the wind. Gusts are smooth random
 * velocities over place and time; the same seed gives the same gusts, bit by bit. */
typedef struct twang_air_def {
    twang_vec3 velocity TWANG_DEFAULT({});  /* m/s, the mean; 0 0 0 */
    double drag TWANG_DEFAULT(1.0);         /* kg/(m^2 s), >= 0; about 1 */
    double lift TWANG_DEFAULT(0.0);         /* kg/(m^2 s), >= 0; 0 ... drag */
    double gusts TWANG_DEFAULT(0.0);        /* m/s along each axis at most, >= 0; 0: steady wind */
    double gust_seconds TWANG_DEFAULT(1.0); /* s from one gust to the next, >= 1e-6; 0.3 ... 5 */
    double gust_metres TWANG_DEFAULT(1.0);  /* m from one gust to the next, >= 1e-6; 0.5 ... 10 */
    uint64_t gust_seed TWANG_DEFAULT(0);
} twang_air_def;

/* Milliseconds of one step by stage, in the order of the frame. The time of contacts between
 * bodies is shared out by their vertices. */
typedef struct twang_stage_ms {
    double apply_changes;   /* queued pins and settings; factors Q where they need it */
    double external_forces; /* gravity, wind, user forces */
    double predict;         /* inertial target y and start of the solve */
    double local_step;      /* springs: projection, gradient, energy, Hessians */
    double global_step;     /* linear solves */
    double accelerate;      /* acceleration, line search, convergence test */
    double contact;         /* contact and friction */
    double commit;          /* velocities, check for finite numbers, copy to the float arrays */
} twang_stage_ms;

typedef struct twang_report {
    twang_status status;       /* DIVERGED and the like; stays until twang_body_reset */
    int32_t enabled;           /* 0: disabled after a failure */
    int32_t asleep;            /* 1: left out of steps, see sleep_speed; of a world: all bodies */
    uint64_t steps;            /* steps since creation, without those asleep */
    int32_t iterations;        /* of the last step: all substeps, and repeated solves */
    int32_t inner_iterations;  /* conjugate gradient iterations of the last step */
    int32_t rejected_steps;    /* accelerated steps that would have raised the objective */
    int32_t projected_systems; /* linear: 1 where the Hessian was not positive definite and was
                                  projected */
    int32_t converged;         /* 1: the tolerance was met */
    double residual;           /* m/s: largest move in the last iteration / time step */
    /* m: estimated distance of the farthest vertex from the solution, if moves keep shrinking
     * at the same rate; infinite while they do not shrink. Good to a factor of 3 for
     * unaccelerated local-global; only a lower bound for the accelerated methods, whose moves
     * may be short far from the solution. */
    double error_estimate;
    double kinetic_energy;  /* J, after the step */
    double elastic_energy;  /* J, after the step */
    int32_t contacts;       /* vertices in contact with a collider in the last step, and those whose
                               spheres touched others */
    double max_penetration; /* m: depth of the deepest vertex in a collider after the step */
    twang_stage_ms ms;
    double total_ms;
} twang_report;

TWANG_API twang_status twang_default_solver(twang_solver solver, twang_solver_def* def);
TWANG_API twang_status twang_default_world(twang_world_def* def);
TWANG_API twang_status twang_world_create(const twang_world_def* def, twang_world** world);
/* Destroys the world with its bodies and sets *world to NULL. */
TWANG_API twang_status twang_world_destroy(twang_world** world);

/* Takes one time step for every body. If a body fails in this step, returns DIVERGED,
 * NO_EQUILIBRIUM or, where another factor is adopted, FACTOR_FAILED or ILL_CONDITIONED (float may
 * be too coarse for that factor); see the report of the body. The other bodies complete their
 * step. */
TWANG_API twang_status twang_world_step(twang_world* world);
/* Takes as many whole steps as fit in `seconds` plus the time left over before, at most
 * max_catch_up; time beyond these steps is dropped. Pins, grabs and colliders move evenly and
 * reach their targets in the last of these steps. Either pointer may be NULL. */
TWANG_API twang_status twang_world_advance(twang_world* world, double seconds, int32_t* steps,
                                           double* dropped_seconds);

/* Sets the time step; velocities are kept. The new time step needs other factors of Q, which are
 * made in the background; it is adopted refactor_delay steps later. Until then steps keep their
 * length. If another time step is set meanwhile, its factors are made after that. */
TWANG_API twang_status twang_world_set_time_step(twang_world* world, double seconds);
TWANG_API twang_status twang_world_set_gravity(twang_world* world, twang_vec3 gravity);
/* As in twang_world_def; takes effect in the next step. */
TWANG_API twang_status twang_world_set_damping(twang_world* world, double damping);
/* Sets a wind of `velocity` (m/s) that presses on the triangles of all bodies: force = drag *
 * area * (relative velocity along the normal). drag in kg/(m^2 s), >= 0; about 1; 0: off. Short
 * for twang_world_set_air without lift and gusts. */
TWANG_API twang_status twang_world_set_wind(twang_world* world, twang_vec3 velocity, double drag);
TWANG_API twang_status twang_default_air(twang_air_def* def);
TWANG_API twang_status twang_world_set_air(twang_world* world, const twang_air_def* air);
/* For all bodies, and for bodies created later. */
TWANG_API twang_status twang_world_set_solver(twang_world* world, const twang_solver_def* solver);
TWANG_API twang_status twang_world_set_iteration_callback(twang_world* world,
                                                          twang_iteration_callback callback,
                                                          void* user);
/* s: the sum of all time steps taken. */
TWANG_API twang_status twang_world_get_time(const twang_world* world, double* seconds);
/* s, of the next step. A new time step that waits for its factors counts once a step has adopted
 * it. */
TWANG_API twang_status twang_world_get_time_step(const twang_world* world, double* seconds);
/* Sums over all bodies; the worst residual and the first failure. */
TWANG_API twang_status twang_world_get_report(const twang_world* world, twang_report* report);

/* Hash of the state of all bodies: positions, velocities and contact forces. Equal for equal
 * simulations. */
TWANG_API twang_status twang_world_get_hash(const twang_world* world, uint64_t* hash);

/* Snapshots hold everything that steps change, or that calls change between steps. A snapshot
 * fits the same world, or one built by the same calls with any number of workers. After
 * restoring, steps give the same bits, also while a factor is pending. Solver settings are not
 * included. Grabs made after the snapshot are gone, and their handles are given out again: the
 * same calls get the same handles.
 * The size depends on the history of the bodies. A buffer to save to may be larger than needed;
 * restoring needs the exact number of bytes. Restoring checks everything before it changes
 * anything: BAD_SNAPSHOT for numbers, flags or indices that no world saves, also where the checksum
 * fits; MESH_MISMATCH for other models, for worlds, bodies or colliders of other definitions, and
 * for bodies or colliders that were destroyed and made again since. */
TWANG_API twang_status twang_world_snapshot_size(const twang_world* world, size_t* bytes);
TWANG_API twang_status twang_world_save(const twang_world* world, void* buffer, size_t bytes);
TWANG_API twang_status twang_world_restore(twang_world* world, const void* buffer, size_t bytes);

/* ---- Bodies ---------------------------------------------------------------------------------- */

typedef struct twang_body_def {
    twang_energy energy TWANG_DEFAULT(TWANG_HOOKE);
    const uint32_t* pins TWANG_DEFAULT(NULL); /* vertices pinned in place from the start */
    uint32_t pin_count TWANG_DEFAULT(0);
    const double* positions TWANG_DEFAULT(NULL);  /* xyz per vertex, m; NULL: the rest shape */
    const double* velocities TWANG_DEFAULT(NULL); /* xyz per vertex, m/s; NULL: at rest */
    const twang_solver_def* solver TWANG_DEFAULT(NULL); /* NULL: the world's */
    /* Vertex spheres: vertices as spheres that keep off each other and off those of other bodies.
     * Pairs joined by a spring, or no farther apart at rest, are ignored until that spring
     * breaks. Spheres are moved apart after each substep, with any solver, also when they passed
     * through each other at up to 2.5 radii a substep. A cloth holds a single sphere of up to 40
     * times the mass of a vertex at 2 m/s in steps of 1/60 s. Heavier or faster ones may pass
     * between its vertices; with a radius of 0.65 edges they do so later than with half an edge.
     * Substeps help. With a radius of half an edge, spheres lock into the gaps of the other
     * layer, so that layers slide less than the friction allows; larger spheres are smoother.
     * Sheets that meet edge to edge bounce. A body at rest on an edge or a sphere keeps moving by
     * some mm/s. */
    double vertex_radius TWANG_DEFAULT(0.0);   /* m, >= 0; 0: off; 0.5 ... 0.9 of the edge length */
    double vertex_friction TWANG_DEFAULT(0.3); /* Coulomb's mu, >= 0; of a pair: the smaller */
} twang_body_def;

/* Size and cost of the factor of Q of a body. */
typedef struct twang_precomputation {
    uint32_t n;          /* rows of Q: one per vertex, eliminated ones included */
    uint64_t q_nonzeros; /* in the lower triangle with the diagonal */
    uint64_t l_nonzeros; /* in the factor */
    uint64_t bytes;      /* memory of the factor */
    double order_ms;     /* fill-reducing ordering, once per model */
    double assemble_ms;
    double factor_ms;
    double pack_ms;            /* repacking the factor for speed */
    twang_precision precision; /* as stored */
    int32_t shared_by;         /* bodies that share this factor */
    int32_t factorings; /* how often a factor was made for this body, or fetched from another */
} twang_precomputation;

typedef struct twang_measures {
    double kinetic_energy, elastic_energy; /* J */
    double max_stretch, mean_stretch;      /* |l/r - 1| over structural springs with r > 0 */
    double mean_speed;                     /* m/s over vertices */
    twang_vec3 centre;                     /* m: centre of mass */
    twang_vec3 momentum;                   /* kg m/s */
    uint64_t state_hash;                   /* hash of everything that the next step depends on */
} twang_measures;

TWANG_API twang_status twang_default_body(twang_body_def* def);
/* Creates a body: assembles and factors Q. Bodies of the same model, pins and time step share a
 * factor. */
TWANG_API twang_status twang_body_create(twang_world* world, const twang_model* model,
                                         const twang_body_def* def, twang_body* body);
TWANG_API twang_status twang_body_destroy(twang_world* world, twang_body body);

/* Pins a vertex at its position, or at a target. Pinning a pinned vertex moves its target. */
TWANG_API twang_status twang_body_pin(twang_world* world, twang_body body, uint32_t vertex);
TWANG_API twang_status twang_body_pin_at(twang_world* world, twang_body body, uint32_t vertex,
                                         twang_vec3 target);
TWANG_API twang_status twang_body_unpin(twang_world* world, twang_body body, uint32_t vertex);
/* Sets *pinned to 1 if the vertex is pinned, or will be at the next step; otherwise to 0. */
TWANG_API twang_status twang_body_is_pinned(const twang_world* world, twang_body body,
                                            uint32_t vertex, int32_t* pinned);

/* Sets the targets of many pins at once, as of those on the bones of a character: pin_at for each
 * vertex, all or none. If all of them are pinned already, the cost is that of copying. */
TWANG_API twang_status twang_body_set_pin_targets(twang_world* world, twang_body body,
                                                  const uint32_t* vertices, const double* xyz,
                                                  size_t count);

/* Adds to the force (N) on a vertex, for the next step only. */
TWANG_API twang_status twang_body_add_force(twang_world* world, twang_body body, uint32_t vertex,
                                            twang_vec3 force);
/* The same for all vertices: xyz per vertex, N. */
TWANG_API twang_status twang_body_add_forces(twang_world* world, twang_body body, const double* xyz,
                                             size_t vertex_count);
/* Adds impulse (N s) / mass to the velocity of a vertex, at once. Pinned vertices do not move. */
TWANG_API twang_status twang_body_add_impulse(twang_world* world, twang_body body, uint32_t vertex,
                                              twang_vec3 impulse);
/* Sets the share of the world's gravity that acts on the body; any finite number. 1: default; 0:
 * the body floats; below 0: the body rises like a balloon. */
TWANG_API twang_status twang_body_set_gravity_scale(twang_world* world, twang_body body,
                                                    double scale);
/* Sets the gas pressure inside a body whose triangles enclose a volume (see twang_model_info;
 * otherwise UNSUPPORTED). `pascals` is the pressure above that of the air around, at the volume
 * of the rest shape, >= 0; 10 ... 1000 for toys; 0: no gas. Pressure times volume is constant:
 * the pressure falls as the body grows, and rises, up to 16 times, as it is compressed. Stable
 * while the springs can hold the gas, that is, while they are stretched to less than about twice
 * their length. When a triangle is torn, the gas escapes, to 1/e in 0.02 s; such a body holds no
 * gas until it is reset. */
TWANG_API twang_status twang_body_set_pressure(twang_world* world, twang_body body, double pascals);
/* Sets the strain limit: structural springs longer than (1 + max_strain) times their rest length
 * are shortened towards that at the end of each step, in a number of passes. A pass costs a
 * fraction of a local-global iteration and reaches one more row of vertices. max_strain > 0; 0.02
 * ... 0.2; 0 (default): no limit. passes 1 ... 1000; about 10. */
TWANG_API twang_status twang_body_set_max_strain(twang_world* world, twang_body body,
                                                 double max_strain, int32_t passes);
TWANG_API twang_status twang_body_set_solver(twang_world* world, twang_body body,
                                             const twang_solver_def* solver);
/* As in twang_body_def; radius 0: off. */
TWANG_API twang_status twang_body_set_vertex_spheres(twang_world* world, twang_body body,
                                                     double radius, double friction);
TWANG_API twang_status twang_body_set_positions(twang_world* world, twang_body body,
                                                const double* xyz, size_t vertex_count);
TWANG_API twang_status twang_body_set_velocities(twang_world* world, twang_body body,
                                                 const double* xyz, size_t vertex_count);
/* Turns the body about `pivot`, then moves it by `translation` (m). Its positions, its velocities
 * and the targets of its pins and grabs move along. The jump adds no velocity, and is not drawn. */
TWANG_API twang_status twang_body_teleport(twang_world* world, twang_body body,
                                           twang_quaternion rotation, twang_vec3 pivot,
                                           twang_vec3 translation);
/* Wakes a sleeping body (see sleep_speed): it takes part in the next step. */
TWANG_API twang_status twang_body_wake(twang_world* world, twang_body body);
/* Stops a body and lets it sleep until something wakes it, as if it had come to rest by itself;
 * also where sleep_speed is 0. */
TWANG_API twang_status twang_body_sleep(twang_world* world, twang_body body);
/* Restores the state and the pins that the body was created with: springs are whole and those of
 * the model, grabs are released, escaped gas is back. Settings stay: solver, gravity scale,
 * pressure, limits of strain and tearing, vertex spheres. Enables a body that failed. */
TWANG_API twang_status twang_body_reset(twang_world* world, twang_body body);

/* Return contiguous float xyz, one per vertex, in the order of the model. The address stays the
 * same while the body lives; the content changes with each step. NULL for an invalid handle.
 * All of them are finite: positions, velocities and targets beyond the range of float (3.4e38) are
 * OUT_OF_RANGE where they are set, and DIVERGED where a step would reach them. */
TWANG_API const float* twang_body_positions(const twang_world* world, twang_body body);
TWANG_API const float* twang_body_velocities(const twang_world* world, twang_body body);
TWANG_API twang_status twang_body_vertex_count(const twang_world* world, twang_body body,
                                               uint32_t* count);
/* Copy the same in full precision. */
TWANG_API twang_status twang_body_copy_positions(const twang_world* world, twang_body body,
                                                 double* xyz, size_t vertex_count);
TWANG_API twang_status twang_body_copy_velocities(const twang_world* world, twang_body body,
                                                  double* xyz, size_t vertex_count);
/* Copies positions for drawing between steps: at the time that twang_world_advance was asked for,
 * between the last two steps; one step late, and smooth at any frame rate. Three floats per
 * vertex, `stride` bytes (>= 12) from one vertex to the next. */
TWANG_API twang_status twang_body_copy_interpolated(const twang_world* world, twang_body body,
                                                    float* xyz, size_t stride);
/* Energies are computed by this call, at about the cost of one projection of the springs. */
TWANG_API twang_status twang_body_get_report(const twang_world* world, twang_body body,
                                             twang_report* report);
TWANG_API twang_status twang_body_get_precomputation(const twang_world* world, twang_body body,
                                                     twang_precomputation* precomputation);
TWANG_API twang_status twang_body_measure(const twang_world* world, twang_body body,
                                          twang_measures* measures);

/* Computes the force of the body on its pins in the last step: the sum of the forces (N) on the
 * pins of these vertices, and of their torques (N m) about `point`. No vertices (NULL, 0): all
 * pins. Vertices that are not pinned add nothing; the result is 0 before the first step. For a
 * rigid body that the pins are fixed to. All pins together take up all momentum that colliders do
 * not, damping apart; forces of colliders are left out, as far as the solver has converged. How
 * the force is distributed over the pins, and so the torque, is as accurate as the solver has
 * converged. Either pointer may be NULL. */
TWANG_API twang_status twang_body_pin_force(const twang_world* world, twang_body body,
                                            const uint32_t* vertices, size_t count,
                                            twang_vec3 point, twang_vec3* force,
                                            twang_vec3* torque);

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Copies normals of length 1, smooth over the triangles of the model, 0 for vertices without
 * triangles or with triangles without area; always finite. Three floats per vertex, `stride` bytes
 * (>= 12) from one vertex to the next. */
TWANG_API twang_status twang_body_copy_normals(const twang_world* world, twang_body body,
                                               float* xyz, size_t stride);

/* A fine mesh for drawing that follows a coarse model. Each of its vertices is bound to the
 * nearest tetrahedron of the model or, for a model without tetrahedra, to the nearest triangle,
 * at a distance along the smooth normals. Immutable; may be used for all bodies of the model, in
 * any world and thread. */
typedef struct twang_embedding twang_embedding;

typedef struct twang_fine_mesh_def {
    const double* positions
        TWANG_DEFAULT(NULL);                /* xyz per vertex, m, around the model's rest shape */
    uint32_t vertex_count TWANG_DEFAULT(0); /* >= 1 */
    const uint32_t* triangles TWANG_DEFAULT(NULL); /* 3 indices each; for normals */
    uint32_t triangle_count TWANG_DEFAULT(0);
} twang_fine_mesh_def;

typedef struct twang_embedding_info {
    uint32_t vertices;
    int32_t in_tetrahedra; /* 1: in tetrahedra; 0: on triangles */
    double farthest;       /* m: largest distance of a vertex from its tetrahedron or triangle */
    double rest_error; /* m: largest distance between a vertex and its computed place, at rest */
} twang_embedding_info;

/* Where to write three floats per vertex, `stride` bytes (>= 12) from one to the next. */
typedef struct twang_float_stream {
    float* xyz TWANG_DEFAULT(NULL); /* NULL: not written */
    size_t stride TWANG_DEFAULT(12);
} twang_float_stream;

TWANG_API twang_status twang_default_fine_mesh(twang_fine_mesh_def* def);
TWANG_API twang_status twang_embedding_create(const twang_model* model,
                                              const twang_fine_mesh_def* def,
                                              twang_embedding** embedding);
/* Sets *embedding to NULL. */
TWANG_API twang_status twang_embedding_destroy(twang_embedding** embedding);
TWANG_API twang_status twang_embedding_get_info(const twang_embedding* embedding,
                                                twang_embedding_info* info);
/* Writes positions and smooth normals of the fine mesh for the body as it is now or, if
 * interpolated is not 0, between its last two steps (see twang_body_copy_interpolated). Uses the
 * workers of the world. OUT_OF_RANGE, and nothing written, where a vertex is too far away for
 * float. */
TWANG_API twang_status twang_embedding_write(const twang_embedding* embedding, twang_world* world,
                                             twang_body body, int32_t interpolated,
                                             twang_float_stream positions,
                                             twang_float_stream normals);

/* ---- Changes while it runs ------------------------------------------------------------------- */

/* Pins and grabs take effect exactly in the next step, without another factor of Q. Each new one
 * costs at most one global step once, and a little in every iteration (see the README). Another
 * factor is made in the background when more than 16 pins differ from those that the factor was
 * made with, or when one of those is released. While more than 48 differ, iterations take longer
 * (with portable arithmetic by a whole global step). Beyond 48 + 3 sqrt(vertices), or 48 before
 * the first step, the factor is made within the step. */

/* A grab pulls at a point of a body, as with a mouse or a hand: a spring of rest length 0 from
 * the point to a target. */
typedef struct twang_grab_def {
    uint32_t vertices[3] TWANG_DEFAULT({}); /* as of a triangle; may be the same */
    /* >= 0; scaled to the sum 1. A single vertex: 1 0 0. */
    double weights[3] TWANG_DEFAULT({1.0});
    twang_vec3 target TWANG_DEFAULT({}); /* m */
    /* N/m, > 0, <= 1e9; some times the weight of the body / 1 cm. Limited to 1e5 times the
     * stiffness of the body, inertia included, at that point. */
    double stiffness TWANG_DEFAULT(1000.0);
} twang_grab_def;
typedef struct twang_grab {
    uint32_t index, generation;
} twang_grab;
#define TWANG_MAX_GRABS 16 /* per body at a time */

TWANG_API twang_status twang_default_grab(twang_grab_def* def);
TWANG_API twang_status twang_body_grab(twang_world* world, twang_body body,
                                       const twang_grab_def* def, twang_grab* grab);
TWANG_API twang_status twang_body_move_grab(twang_world* world, twang_body body, twang_grab grab,
                                            twang_vec3 target);
TWANG_API twang_status twang_body_release(twang_world* world, twang_body body, twang_grab grab);

/* Scales rest lengths of springs, in units of the model's; takes effect in the next step, at no
 * cost. springs: indices into twang_model_copy_springs, or NULL for all; scales >= 0 (stvk: > 0),
 * one per spring. */
TWANG_API twang_status twang_body_scale_rest_lengths(twang_world* world, twang_body body,
                                                     const uint32_t* springs, const double* scales,
                                                     size_t count);
/* The same for stiffness; takes effect refactor_delay steps later. */
TWANG_API twang_status twang_body_scale_stiffness(twang_world* world, twang_body body,
                                                  const uint32_t* springs, const double* scales,
                                                  size_t count);

/* Sets the strain at which springs tear: springs longer than (1 + strain) times their rest length
 * at the end of a step break. strain > 0; 0.3 tears easily; 0: off. Air passes through triangles
 * that have lost a side, as in a renderer that leaves them out, and gas escapes (see
 * set_pressure). The first call of this function, of cut or of one of the two functions above
 * gives the body springs of its own, a copy of some megabytes for a large cloth. To keep the copy
 * out of a frame, call this function when the body is created. */
TWANG_API twang_status twang_body_set_tear_strain(twang_world* world, twang_body body,
                                                  double strain);
/* The way of a blade's edge, from (from, from + along) to (to, to + to_along), past a body that
 * moves meanwhile from from_positions to where it is now. Edge and vertices move evenly. Without
 * the last three the body stands still and the way is a parallelogram.
 * A stroke is a sequence of cuts, each from the edge where the last one ended and from the
 * positions that twang_body_copy_positions gave then. A stroke that begins and ends beside the
 * body, with an edge that reaches through it, leaves no spring between its two sides, however the
 * body moved and however many cuts it took.
 * Begin another stroke after a reset, a teleport or a restored snapshot. */
typedef struct twang_blade_def {
    twang_vec3 from TWANG_DEFAULT({});
    twang_vec3 to TWANG_DEFAULT({});
    twang_vec3 along TWANG_DEFAULT({});               /* m, any length > 0 */
    twang_vec3 to_along TWANG_DEFAULT({});            /* m; 0 0 0: the same as `along` */
    const double* from_positions TWANG_DEFAULT(NULL); /* xyz per vertex, m; NULL: as now */
    uint32_t vertex_count TWANG_DEFAULT(0);           /* of from_positions */
} twang_blade_def;
/* Breaks the springs that the blade meets, at once. Until the new factor is adopted,
 * refactor_delay steps later, the old one still couples the parts: a part that is cut off falls
 * freely as a whole, but with few iterations it turns and bends late. With refactor_delay = 0 the
 * new factor is there at once, in a longer step. A blade at rest breaks nothing of a body at rest;
 * a blade through vertices breaks the springs on both sides of them. Allocates for the time of the
 * call: some bytes per vertex. broken: number of springs broken; may be NULL. */
TWANG_API twang_status twang_body_cut(twang_world* world, twang_body body,
                                      const twang_blade_def* blade, uint32_t* broken);
/* Number of springs broken so far. */
TWANG_API twang_status twang_body_broken_springs(const twang_world* world, twang_body body,
                                                 uint32_t* count);
/* Copies 1 for every broken spring, 0 for the others, in the order of twang_model_copy_springs;
 * `count` must be the number of springs of the model. */
TWANG_API twang_status twang_body_copy_broken_springs(const twang_world* world, twang_body body,
                                                      uint8_t* broken, size_t count);
/* Copies 1 for every triangle that has lost a side, 0 for the others; `count` must be the number
 * of triangles of the model. */
TWANG_API twang_status twang_body_copy_torn_triangles(const twang_world* world, twang_body body,
                                                      uint8_t* torn, size_t count);
/* Fetches the triangles that lost their first side since the last call, at most `room`: indices
 * into twang_model_copy_triangles. Triangles beyond `room` come with the next call. */
TWANG_API twang_status twang_body_take_torn_triangles(twang_world* world, twang_body body,
                                                      uint32_t* triangles, size_t room,
                                                      size_t* count);

/* ---- Colliders ------------------------------------------------------------------------------- */

/* Colliders keep vertices off at every step, without bouncing and with Coulomb friction: a vertex
 * at rest on the surface stays until the force along the surface exceeds mu times the force into
 * the surface; a sliding one is braked by the kinetic mu times that force.
 *
 * For local-global, newton and newton-cg, contact is a soft force that is part of the objective
 * and starts with the force of the last step. It uses a part of the thickness; after the step no
 * vertex is nearer to a surface than half the thickness. An iteration takes little longer than
 * without contact; local-global does at least two in contact. With the other solvers vertices are
 * corrected after the step, by their final positions, and may pass through thin colliders.
 *
 * With those three solvers vertices are tested along their paths through a step, relative to the
 * collider, before the solve and again after it: if springs have pulled vertices through a
 * collider that was not predicted to be in reach, the step is solved once more. A sphere does not
 * pass through a cloth at up to 1.6 radii a step (0.2 m at 20 m/s and steps of 1/60 s), nor a
 * capsule that turns about one end at up to 2.5 radii a step at the other (0.1 m at 15 m/s). At
 * higher speeds parts of a cloth may pass: use substeps, 3 at three times the speed. Pinned
 * vertices follow their targets even into colliders.
 *
 * Boxes and meshes also have contacts with edges and triangles, and so have other colliders with
 * between_vertices = 1: the point of an edge or triangle nearest to the collider has a contact
 * like that of a vertex. Cloth then lies over the edge of a box, where with contacts of vertices
 * alone the box would cut in by a third of their spacing. This holds for the three solvers with
 * contact forces, for at most as many such contacts as the body has vertices. A collider thinner
 * than the spacing that comes in between vertices fast may still pass. */

typedef enum twang_shape TWANG_INT {
    TWANG_SHAPE_SPHERE,  /* centre, radius */
    TWANG_SHAPE_CAPSULE, /* from centre to end, radius; tapered: the convex hull of a sphere of radius at
                      centre and one of end_radius at end */
    TWANG_SHAPE_PLANE,   /* through centre; bodies stay on the side of normal */
    TWANG_SHAPE_BOX,     /* centre, half extents along x, y, z */
    TWANG_SHAPE_MESH     /* triangles; a closed mesh has an inside, an open one two outsides */
} twang_shape;

typedef struct twang_collider_def {
    twang_shape shape TWANG_DEFAULT(TWANG_SHAPE_SPHERE);
    twang_vec3 centre TWANG_DEFAULT({});                                /* m; 0 0 0 */
    twang_vec3 end TWANG_DEFAULT((twang_vec3{0.0, 1.0, 0.0}));          /* m: capsule */
    twang_vec3 normal TWANG_DEFAULT((twang_vec3{0.0, 1.0, 0.0}));       /* plane; any length > 0 */
    twang_vec3 half_extents TWANG_DEFAULT((twang_vec3{0.5, 0.5, 0.5})); /* m, > 0: box */
    /* Rotation about centre of end, normal, box and mesh as defined here. Any length > 0. */
    twang_quaternion rotation TWANG_DEFAULT((twang_quaternion{0.0, 0.0, 0.0, 1.0}));
    double radius TWANG_DEFAULT(0.5);            /* m, > 0: sphere, capsule */
    double end_radius TWANG_DEFAULT(TWANG_SAME); /* m, > 0, or TWANG_SAME: capsule */
    double thickness TWANG_DEFAULT(0.005);       /* m, >= 0: distance at rest; half of it always */
    double friction TWANG_DEFAULT(0.3);          /* Coulomb's mu of static friction, >= 0 */
    /* The mu of kinetic friction, 0 ... friction, or TWANG_SAME. Static friction holds a sliding
     * vertex again once kinetic friction has stopped it. */
    double kinetic_friction TWANG_DEFAULT(TWANG_SAME);
    /* 1: contacts with edges and triangles too; 0: with vertices alone; TWANG_BY_SHAPE: 1 for
     * boxes and meshes. */
    int32_t between_vertices TWANG_DEFAULT(TWANG_BY_SHAPE);
    /* Mesh; copied. Triangles without area are dropped. */
    const double* positions TWANG_DEFAULT(NULL); /* xyz per vertex, m, relative to centre */
    uint32_t vertex_count TWANG_DEFAULT(0);
    const uint32_t* triangles TWANG_DEFAULT(NULL); /* 3 indices each */
    uint32_t triangle_count TWANG_DEFAULT(0);
    /* Sphere: the classic penalty force in place of contact, for comparison:
     *   penalty * max(penalty_scale * radius - |x - centre|, 0)
     * outward, explicit and without friction. Vertices sink in; with too large a penalty they are
     * thrown out. */
    double penalty TWANG_DEFAULT(0.0);       /* N/m, >= 0; 0: contact */
    double penalty_scale TWANG_DEFAULT(1.0); /* > 0; 1.1: acts before contact */
} twang_collider_def;

TWANG_API twang_status twang_default_collider(twang_collider_def* def);
TWANG_API twang_status twang_collider_create(twang_world* world, const twang_collider_def* def,
                                             twang_collider* collider);
TWANG_API twang_status twang_collider_destroy(twang_world* world, twang_collider collider);
/* Moves a collider: it arrives at `centre` at the end of the next step, or of the next
 * twang_world_advance, and drags along what it touches. Its rotation stays. */
TWANG_API twang_status twang_collider_move_to(twang_world* world, twang_collider collider,
                                              twang_vec3 centre);
/* The same with `rotation` in place of the definition's. The collider turns along the shorter arc
 * and its surface has friction as it moves: a turntable takes along what lies on it. */
TWANG_API twang_status twang_collider_move(twang_world* world, twang_collider collider,
                                           twang_vec3 centre, twang_quaternion rotation);
/* Puts a collider in another place at once: nothing is dragged along, and all bodies wake. For a
 * change of level, or together with twang_body_teleport. A capsule gets the length of its
 * definition again. */
TWANG_API twang_status twang_collider_teleport(twang_world* world, twang_collider collider,
                                               twang_vec3 centre, twang_quaternion rotation);
/* Moves a capsule, as on a bone, by the ends at which it arrives. Its length may change;
 * twang_collider_move restores that of the definition. Its radii stay. */
TWANG_API twang_status twang_collider_move_ends(twang_world* world, twang_collider collider,
                                                twang_vec3 from, twang_vec3 to);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TWANG_H */
