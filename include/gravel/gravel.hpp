/* SPDX-License-Identifier: MIT */
/**
 * @file gravel.hpp
 * The host interface as C++17: objects that close what they own, arrays of a type, and errors as exceptions.
 *
 *     gvl::node node(gvl::options().set("heap_bytes", "64M"));
 *     gvl::array<cl_uint> bins(node, 1000);                  1000 elements of each node
 *     gvl::program program(node, source);
 *     gvl::kernel count(program, "count");
 *     node.launch(count, 1 << 20, 256, gvl::arena, bins, cl_uint(1000 * node.size()));
 *     node.barrier();
 *     for (cl_uint bin : bins.read()) ...
 *
 * Each member function makes the C call that its comment or its name says, by the rules of that call. get() gives the C
 * object for all other calls.
 *
 * Errors:   a call that fails throws gvl::error. An object that was closed, destroyed, freed or moved from, and any
 *           object of a closed node, refuses every call with GRAVEL_EINVAL. No destructor throws: it reports an error
 *           on standard error.
 * Memory:   ~node closes the node, and frees what is collective to free, arrays, mirrors, accumulators, pools and
 *           rounds, in the reverse order of creation, unless free() or destroy() has: their destructors do nothing, so
 *           no other destructor waits for a node. Flows, deques, programs, kernels and views free themselves. If an
 *           exception leaves the scope of a node, ~node calls gravel_abort first: other nodes do not wait for it.
 * Threads:  as the C calls. No object is destroyed or moved while another thread uses it.
 */
#ifndef GRAVEL_GRAVEL_HPP
#define GRAVEL_GRAVEL_HPP

#if __cplusplus < 201703L
#error "gravel.hpp needs C++17: -std=c++17"
#else

#include "accumulator.h"
#include "block_pool.h"
#include "flow.h"
#include "gravel.h"
#include "mirror.h"
#include "rounds.h"
#include "server.h"
#include "steal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gvl {

/** A failed call: code() is a GRAVEL_E... code, what() says what exactly went wrong. */
class error : public std::runtime_error {
public:
    error(int code, const std::string &text) : std::runtime_error(text), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

/** Throw what a C call returned, with gravel_last_error's text, unless it is 0. */
inline void check(int code) {
    if (code)
        throw error(code, gravel_last_error());
}

/** The GRAVEL_INT to GRAVEL_DOUBLE of a C++ type. */
template <typename T> constexpr uint32_t type_of() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "words of messages are integers and real numbers of 4 or 8 bytes");
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? GRAVEL_FLOAT : GRAVEL_DOUBLE;
    else
        return (sizeof(T) == 4 ? GRAVEL_INT : GRAVEL_LONG) + (std::is_unsigned_v<T> ? 1u : 0u);
}

/** A gravel_channel_graph with its sizes set, as GRAVEL_CHANNEL_GRAPH makes it, whose members C++17 cannot name. */
inline gravel_channel_graph channel_graph(const std::vector<gravel_channel> &channels, uint32_t depth = 0) {
    gravel_channel_graph out{};
    out.bytes = sizeof out;
    out.channel_bytes = sizeof(gravel_channel);
    out.channels = channels.data();
    out.n_channels = static_cast<uint32_t>(channels.size());
    out.depth = depth;
    return out;
}

/** A handler of active messages: the destination node, the sender, the arguments. An exception is GRAVEL_EHANDLER. */
using handler_function = std::function<void(struct gravel *gravel, uint32_t source, const uint64_t *args)>;

namespace detail {

struct state;

struct handler {
    state *of;
    std::string name;
    handler_function function;
};

inline thread_local bool is_handler = false;

/** Refuses to build what a kernel cannot get as bytes. */
template <typename T> constexpr void require_argument() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_null_pointer_v<T> &&
                      !std::is_same_v<T, bool>,
                  "arguments are numbers, structures of numbers, arrays, cl_mem");
}

/** A node, as all objects of it share it; without `gravel` once it is closed. */
struct state {
    struct part {
        void *object;
        int (*destroy)(void *object);
    };
    struct gravel *gravel = nullptr;
    std::vector<std::unique_ptr<handler>> handlers;
    std::list<part> parts; /**< to be destroyed before the node is closed, the last one first */
    std::string thrown;    /**< by a handler, until a call returns GRAVEL_EHANDLER */
    std::mutex lock;       /**< of parts and thrown */
    pid_t process = getpid();

    void check(int code) {
        if (!code)
            return;
        std::string text = gravel_last_error();
        std::lock_guard<std::mutex> guard(lock);
        if (code == GRAVEL_EHANDLER && !thrown.empty())
            text += "; " + std::exchange(thrown, {});
        throw error(code, text);
    }

    /** Refuses to end an object where the C calls refuse it, before anything of it is gone. */
    void refuse_here() const {
        if (is_handler || process != getpid())
            throw error(GRAVEL_EINVAL, is_handler ? "a handler cannot close or destroy what waits"
                                                  : "after fork the node is the parent's");
    }

    /** Then each call that sends says so, one of no bytes too. */
    bool has_failed() const { return gravel_put(gravel, 0, nullptr, 0, gravel_node(gravel)) != 0; }

    void forget(const void *object) {
        std::lock_guard<std::mutex> guard(lock);
        parts.remove_if([object](const part &other) { return other.object == object; });
    }

    /** All is gone when it returns. @return the code and text of gravel_close, or else of the first part. */
    std::pair<int, std::string> close() {
        std::pair<int, std::string> first{0, ""};
        while (!parts.empty()) {
            const part last = parts.back();
            parts.pop_back();
            if (const int code = last.destroy(last.object); code && !first.first)
                first = {code, gravel_last_error()};
        }
        if (const int code = gravel_close(gravel)) /* whose handlers may still use the node */
            first = {code, gravel_last_error()};
        gravel = nullptr;
        return first;
    }
};

/** Reports what a destructor cannot throw. */
inline void report(const char *where, const char *text) noexcept { std::fprintf(stderr, "%s: %s\n", where, text); }

/** Keep what a handler threw; without memory for it the call that returns GRAVEL_EHANDLER has no text of it. */
inline int keep_thrown(handler *own, const char *text) noexcept try {
    std::lock_guard<std::mutex> guard(own->of->lock);
    own->of->thrown = own->name + ": " + text;
    return 1;
} catch (...) {
    return 1;
}

/** The C function of all handlers: no exception passes through its caller. */
inline int run_handler(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args) {
    auto *own = static_cast<handler *>(user);
    int code = 0;
    is_handler = true;
    try {
        own->function(gravel, source, args);
    } catch (const std::exception &thrown) {
        code = keep_thrown(own, thrown.what());
    } catch (...) {
        code = keep_thrown(own, "threw what is no std::exception");
    }
    is_handler = false;
    return code;
}

/** An object of a node. */
class of_node {
protected:
    explicit of_node(std::shared_ptr<detail::state> shared) : state_(std::move(shared)) {}
    /** The open node. */
    struct gravel *opened() const {
        if (!state_ || !state_->gravel)
            throw error(GRAVEL_EINVAL, "the node is closed, or the object was moved from");
        return state_->gravel;
    }
    /** A C call whose first argument is the node. */
    template <typename F, typename... A> void call(F function, A... arguments) const {
        struct gravel *gravel = opened();
        state_->check(function(gravel, arguments...));
    }
    std::shared_ptr<detail::state> state_;
};

/** Something that is destroyed before its node is closed. */
template <typename T, int (*Destroy)(T *)> class part : protected of_node {
public:
    part(part &&from) noexcept : of_node(from), part_(std::exchange(from.part_, nullptr)) {}
    part &operator=(part &&from) noexcept {
        of_node::operator=(from);
        part_ = std::exchange(from.part_, nullptr);
        return *this;
    }

    /** The C object. */
    T *get() const {
        opened();
        if (!part_)
            throw error(GRAVEL_EINVAL, "the object was destroyed, or moved from");
        return part_;
    }

protected:
    explicit part(const of_node &of) : of_node(of) { opened(); }
    ~part() = default;

    /** The constructor's last step: a C call that makes the object, which cannot get lost from there on. */
    template <typename F> void make(F create) {
        std::list<state::part> slot{{nullptr, [](void *object) { return Destroy(static_cast<T *>(object)); }}};
        T *made = nullptr;
        state_->check(create(&made));
        slot.front().object = made;
        std::lock_guard<std::mutex> guard(state_->lock);
        state_->parts.splice(state_->parts.end(), slot);
        part_ = made;
    }
    /** Exchange the objects of two of a kind: assignments whose old object is to be dropped. */
    void swap_part(part &other) noexcept {
        state_.swap(other.state_);
        std::swap(part_, other.part_);
    }
    /** @return the object, which nothing destroys now but the caller. */
    T *give() {
        T *given = get();
        state_->forget(given);
        part_ = nullptr;
        return given;
    }
    void destroy_part() {
        get();
        state_->refuse_here();
        state_->check(Destroy(give()));
    }
    /** Ends what all nodes made together: after an error it stays, unless the node has failed. Collective. */
    void destroy_together(int (*destroy)(T *)) {
        T *own = get();
        state_->refuse_here();
        try {
            state_->check(destroy(own));
        } catch (const error &) {
            if (state_->has_failed())
                give();
            throw;
        }
        give();
    }
    /** For destructors. */
    void drop(const char *where) noexcept try {
        if (part_ && state_->gravel && state_->process == getpid())
            destroy_part();
    } catch (const std::exception &dropped) {
        report(where, dropped.what());
    }
    /** A C call whose first argument is the object. */
    template <typename F, typename... A> void call_part(F function, A... arguments) const {
        T *got = get();
        state_->check(function(got, arguments...));
    }

private:
    T *part_ = nullptr;
};

template <typename T, cl_int (*Release)(T)> struct releases {
    void operator()(T object) const noexcept { Release(object); }
};
template <typename T, cl_int (*Release)(T)> using cl_object =
    std::unique_ptr<std::remove_pointer_t<T>, releases<T, Release>>;

inline void check_cl(cl_int status, const std::string &what) {
    if (status != CL_SUCCESS)
        throw error(GRAVEL_ECL, what + ": OpenCL error " + std::to_string(status));
}

} // namespace detail

/** Settings, OpenCL objects and handlers of a node, for its constructor. Members return *this. */
class options {
public:
    /** The defaults and the GRAVEL_* variables (gravel_config_load). */
    options() { check(gravel_config_load(&config_, sizeof config_)); }
    /** A setting by its name and text: set("heap_bytes", "64M") (gravel_config_set). */
    options &set(const std::string &name, const std::string &text) {
        check(gravel_config_set(&config_, name.c_str(), text.c_str()));
        return *this;
    }
    /** The settings, to be read or set by field. */
    gravel_config &config() noexcept {
        return config_;
    }
    options &device(cl_device_id device, cl_context context = nullptr, cl_command_queue queue = nullptr) {
        bindings_.device = device;
        bindings_.context = context;
        bindings_.queue = queue;
        return *this;
    }
    /** An in-order queue, and its context and device. */
    options &queue(cl_command_queue queue) {
        detail::check_cl(
            clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof bindings_.device, &bindings_.device, nullptr),
            "gvl::options::queue");
        detail::check_cl(
            clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof bindings_.context, &bindings_.context, nullptr),
            "gvl::options::queue");
        bindings_.queue = queue;
        return *this;
    }
    /** Points to an MPI_Comm, which stays until the node is open. */
    options &mpi_comm(const void *comm) {
        bindings_.mpi_comm = comm;
        return *this;
    }
    options &log(gravel_log_function *function, void *user = nullptr) {
        bindings_.log = function;
        bindings_.log_user = user;
        return *this;
    }
    /** Takes lines that kernels print, instead of standard output. */
    options &print(gravel_print_function *function, void *user = nullptr) {
        bindings_.print = function;
        bindings_.print_user = user;
        return *this;
    }
    /** OpenCL C of the handlers without a function. */
    options &device_code(std::string source, std::string name = "handlers.cl", std::string build_options = "") {
        code_ = {std::move(source), std::move(name), std::move(build_options)};
        return *this;
    }
    /** Adds device code, of a file: GRAVEL_ESYSTEM if it cannot be read. */
    options &device_code_file(const std::string &path, std::string build_options = "") {
        std::ifstream file(path, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file.is_open() || file.bad() || text.empty())
            throw error(GRAVEL_ESYSTEM, "options::device_code_file: " + path + ": cannot be read, or is empty");
        return device_code(std::move(text), path, std::move(build_options));
    }
    /** The next row of the table of streams, as the C interface takes it; its function must not throw. */
    options &stream(const gravel_stream &row) {
        streams_.push_back({row.name ? row.name : "", row});
        return *this;
    }
    /** The next row of the table of handlers: one that the host runs. */
    options &handler(const std::string &name, uint32_t n_args, handler_function function) {
        rows_.push_back({name, {}, std::move(function)});
        rows_.back().row.n_args = n_args;
        return *this;
    }
    /** The next row of the table of handlers, as the C interface takes it; its texts stay until the node is open. */
    options &handler(const gravel_handler &row) {
        handler_function function;
        if (row.function)
            function = [row](struct gravel *gravel, uint32_t source, const uint64_t *args) {
                if (const int code = row.function(gravel, row.user, source, args))
                    throw std::runtime_error("returned " + std::to_string(code));
            };
        rows_.push_back({row.name ? row.name : "", row, std::move(function)});
        return *this;
    }

private:
    friend class node;
    struct entry {
        std::string name;
        gravel_handler row;
        handler_function function;
    };
    struct device_text {
        std::string source, name, options;
    };
    gravel_config config_{};
    gravel_bindings bindings_{};
    device_text code_;
    std::vector<entry> rows_;
    std::vector<std::pair<std::string, gravel_stream>> streams_;
};

namespace detail {
/** What a kernel takes. */
struct parameters {
    std::string kernel;
    std::vector<gravel_parameter> list;
    /** Refuse another argument: a driver may read behind it, or take it for an address. @param bytes  of a value */
    void check(cl_uint i, uint32_t kind, size_t bytes, const char *given) const {
        if (i >= list.size())
            throw error(GRAVEL_EINVAL, kernel + ": argument " + std::to_string(i) + " (" + std::to_string(list.size()) +
                                           " arguments, from 0)");
        const gravel_parameter &due = list[i];
        const bool is_sized = kind == GRAVEL_PARAMETER_VALUE && due.value_bytes;
        if (due.kind == GRAVEL_PARAMETER_UNKNOWN || (due.kind == kind && (!is_sized || due.value_bytes == bytes)))
            return;
        throw error(GRAVEL_EINVAL,
                    kernel + ": argument " + std::to_string(i) + " is " + due.type + " " + due.name +
                        (due.value_bytes ? " of " + std::to_string(due.value_bytes) + " bytes" : "") + ", not " +
                        given + (kind == GRAVEL_PARAMETER_VALUE ? " of " + std::to_string(bytes) + " bytes" : ""));
    }
};
} // namespace detail

/** One to three sizes; without any, as a local size: the driver chooses. */
class sizes {
public:
    sizes() = default;
    sizes(size_t x) : n_(1), sizes_{x, 0, 0} {}
    sizes(size_t x, size_t y) : n_(2), sizes_{x, y, 0} {}
    sizes(size_t x, size_t y, size_t z) : n_(3), sizes_{x, y, z} {}
    cl_uint n_dimensions() const noexcept { return n_; }
    /** Returns the sizes; NULL without any. */
    const size_t *data() const noexcept { return n_ ? sizes_ : nullptr; }

private:
    cl_uint n_ = 0;
    size_t sizes_[3] = {0, 0, 0};
};

/** As an argument of a kernel: its GRAVEL_ARENA. */
struct arena_argument {};
inline constexpr arena_argument arena{};

/** As an argument of a kernel: local memory. */
struct local_memory {
    size_t bytes;
};

class kernel;
template <typename T> class array;

/** What counters of all nodes came to, and this node's. */
struct counted {
    std::vector<uint64_t> sums, own;
};

/** A node of the job. Closed by close(), which throws what went wrong, or by the destructor. */
class node : protected detail::of_node {
public:
    /** gravel_open. Collective. */
    explicit node(const options &given = options()) : of_node(std::make_shared<detail::state>()) {
        gravel_bindings bindings = given.bindings_;
        std::vector<gravel_handler> table;
        for (const options::entry &row : given.rows_) {
            auto own = std::make_unique<detail::handler>();
            *own = {state_.get(), row.name, row.function};
            table.push_back(row.row);
            table.back().name = own->name.c_str();
            table.back().function = row.function ? detail::run_handler : nullptr;
            table.back().user = row.function ? own.get() : row.row.user;
            state_->handlers.push_back(std::move(own));
        }
        std::vector<gravel_stream> streams;
        for (const auto &[name, row] : given.streams_) {
            streams.push_back(row);
            streams.back().name = name.c_str();
        }
        bindings.streams = streams.data();
        bindings.n_streams = static_cast<uint32_t>(streams.size());
        bindings.bytes = sizeof bindings;
        bindings.handler_bytes = sizeof(gravel_handler);
        bindings.handlers = table.data();
        bindings.n_handlers = static_cast<uint32_t>(table.size());
        if (!given.code_.source.empty())
            bindings.device_code = {given.code_.source.c_str(), given.code_.name.c_str(), given.code_.options.c_str()};
        state_->check(gravel_open(&state_->gravel, &given.config_, &bindings));
    }
    node(node &&) noexcept = default;
    /** Closes the node that was there, as its destructor does. */
    node &operator=(node from) noexcept {
        state_.swap(from.state_);
        std::swap(n_exceptions_, from.n_exceptions_);
        return *this;
    }

    /** Close; of a scope that an exception leaves, give the node up before (gravel_abort). */
    ~node() {
        if (!state_ || !state_->gravel || state_->process != getpid())
            return;
        try {
            const bool is_left = std::uncaught_exceptions() > n_exceptions_;
            if (is_left)
                gravel_abort(state_->gravel, text_of_exception().c_str());
            const auto [code, text] = state_->close();
            if (code && !is_left)
                detail::report("gvl::~node", text.c_str());
        } catch (const std::exception &dropped) {
            detail::report("gvl::~node", dropped.what());
        }
    }

    /** Destroy what the node still has, and gravel_close. The node is closed also if it throws. Collective. */
    void close() {
        opened();
        state_->refuse_here();
        const auto [code, text] = state_->close();
        if (code)
            throw error(code, text);
    }
    /** gravel_abort. */
    void abort(const std::string &text) { call(gravel_abort, text.c_str()); }

    /** The C object. */
    struct gravel *get() const {
        return opened();
    }
    uint32_t rank() const { return gravel_node(opened()); }
    /** Nodes of the job. */
    uint32_t size() const { return gravel_n_nodes(opened()); }
    bool is_local(uint32_t other) const { return gravel_is_local(opened(), other); }
    /** gravel_share. @return first and count */
    std::pair<uint64_t, uint64_t> share(uint64_t n) const {
        std::pair<uint64_t, uint64_t> part;
        call(gravel_share, n, &part.first, &part.second);
        return part;
    }
    const gravel_config &config() const { return *gravel_config_of(opened()); }
    std::string step() const { return gravel_step(opened()); }
    size_t group_size() const { return gravel_group_size(opened()); }
    uint32_t cores() const { return gravel_cores(opened()); }
    cl_context context() const { return gravel_cl_context(opened()); }
    cl_device_id device() const { return gravel_cl_device(opened()); }
    cl_command_queue queue() const { return gravel_cl_queue(opened()); }

    void quiet() { call(gravel_quiet); }
    void fence() { call(gravel_fence); }
    void barrier() { call(gravel_barrier); }
    void session_begin() { call(gravel_session_begin); }
    void session_end() { call(gravel_session_end); }
    /** Combine a value of each node by GRAVEL_ADD, GRAVEL_MIN or GRAVEL_MAX. Collective. */
    template <typename T> T reduce(uint32_t op, T value) {
        call(gravel_reduce, op, type_of<T>(), &value, 1u);
        return value;
    }
    /** Combine [n] values, element by element. Collective. */
    template <typename T> void reduce(uint32_t op, T *values, uint32_t n) {
        call(gravel_reduce, op, type_of<T>(), values, n);
    }
    /** gravel_barrier_sum of an array of up to 32 counters. */
    counted barrier_sum(const array<cl_uint> &counters);
    void set_constant(uint32_t i, uint64_t value) { call(gravel_set_constant, i, value); }

    /** A handler's index in the table. */
    uint32_t handler(const std::string &name) const {
        opened();
        for (size_t i = 0; i < state_->handlers.size(); i++)
            if (state_->handlers[i]->name == name)
                return static_cast<uint32_t>(i);
        throw error(GRAVEL_EHANDLER, "no handler is named " + name);
    }
    /** gravel_am. */
    void am(uint32_t handler, std::initializer_list<uint64_t> args, uint32_t to) {
        call(gravel_am, handler, args.begin(), static_cast<uint32_t>(args.size()), to);
    }
    void am(const std::string &name, std::initializer_list<uint64_t> args, uint32_t to) { am(handler(name), args, to); }

    /**
     * gravel_launch of a kernel with its arguments, in the order of its parameters: gvl::arena for GRAVEL_ARENA,
     * arrays, mirrors and pools for their offsets, accumulators, cl_mem, gvl::local_memory, numbers and structures.
     * Without arguments, those that were set last, with the offset that a mirror had then. For events call
     * gravel_launch with get() of both.
     */
    template <typename... A>
    void launch(const kernel &launched, const sizes &global, const sizes &local, const A &...arguments);
    /** gravel_server_launch, with arguments as launch has them. */
    template <typename... A> void launch_server(const kernel &launched, uint64_t n_items, const A &...arguments);

    /** Counters of this node, or of what it has sent to one. */
    gravel_stats stats(uint32_t destination = GRAVEL_ALL_NODES) const {
        gravel_stats out{};
        call(gravel_stats_read, &out, sizeof out, destination);
        return out;
    }
    void reset_stats() { call(gravel_stats_reset); }

private:
    template <typename T> friend class array;
    friend class program;
    friend class mirror;
    friend class accumulator;
    friend class block_pool;
    friend class flow;
    friend class deques;
    friend class rounds;
    friend class graph; /* of graph.hpp */

    static std::string text_of_exception() {
        const std::string last = gravel_last_error();
        return last.empty() ? "a C++ exception" : "a C++ exception; last error: " + last;
    }
    int n_exceptions_ = std::uncaught_exceptions();
};

/** Elements of a local node's heap that the host reads or writes; T is const of read(). May outlive its node. */
template <typename T> class view {
public:
    view(view &&from) noexcept
        : gravel_(from.gravel_), data_(std::exchange(from.data_, nullptr)), size_(std::exchange(from.size_, 0)) {}
    /** Unmaps what was there, as its destructor does. */
    view &operator=(view from) noexcept {
        std::swap(gravel_, from.gravel_);
        std::swap(data_, from.data_);
        std::swap(size_, from.size_);
        return *this;
    }
    ~view() {
        if (data_ && gravel_unmap(gravel_, pointer()))
            detail::report("gvl::~view", gravel_last_error());
    }
    /** gravel_unmap: later kernels and messages see what was written. */
    void unmap() {
        if (!data_)
            throw error(GRAVEL_EINVAL, "the view was unmapped, or moved from");
        void *mapped = pointer();
        data_ = nullptr;
        size_ = 0;
        check(gravel_unmap(gravel_, mapped));
    }
    T *data() const noexcept { return data_; }
    size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](size_t i) const noexcept { return data_[i]; }

private:
    template <typename U> friend class array;
    view(struct gravel *gravel, void *data, size_t size)
        : gravel_(gravel), data_(static_cast<T *>(data)), size_(size) {}
    void *pointer() const noexcept { return const_cast<std::remove_const_t<T> *>(data_); }
    struct gravel *gravel_;
    T *data_;
    size_t size_;
};

/** From byte `first` of a buffer on, or at a pointer for clSetKernelArgSVMPointer; the other one is NULL. */
struct heap_part {
    cl_mem buffer;
    uint64_t first;
    void *pointer;
};

/** [size] elements of each node in the symmetric heap. Freed by free(), or with the node. */
template <typename T> class array : protected detail::of_node {
    static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes");
    static_assert(!std::is_same_v<T, bool>, "elements of type bool: use unsigned char, whose size is one everywhere");

public:
    static constexpr size_t to_end = ~size_t{0};

    /** gravel_alloc, or with a name gravel_alloc_named. Collective. */
    array(const node &of, size_t size, const std::string &name = "") : of_node(of), size_(size) {
        if (size > ~uint64_t{0} / sizeof(T))
            throw error(GRAVEL_EINVAL,
                        "an array of " + std::to_string(size) + " elements of " + std::to_string(sizeof(T)) + " bytes");
        if (name.empty())
            call(gravel_alloc, bytes(), &offset_);
        else
            call(gravel_alloc_named, name.c_str(), bytes(), &offset_);
    }
    array(array &&from) noexcept
        : of_node(from), offset_(std::exchange(from.offset_, 0)), size_(std::exchange(from.size_, 0)) {}
    /** What was there stays in the heap until the node is closed: to free it is collective. */
    array &operator=(array &&from) noexcept {
        of_node::operator=(from);
        offset_ = std::exchange(from.offset_, 0);
        size_ = std::exchange(from.size_, 0);
        return *this;
    }

    /** gravel_free. Collective. */
    void free() {
        const uint64_t freed = offset();
        call(gravel_free, freed);
        offset_ = 0;
        size_ = 0;
    }
    /** Heap offset [bytes], as kernels take it. */
    uint64_t offset() const {
        opened();
        if (!offset_)
            throw error(GRAVEL_EINVAL, "the array was freed, or moved from");
        return offset_;
    }
    size_t size() const noexcept { return size_; }
    uint64_t bytes() const noexcept { return size_ * sizeof(T); }

    /** Returns where a local node's part lies, for OpenCL code without Gravel (gravel_heap_part). */
    heap_part part(uint32_t of) const {
        heap_part out{};
        call(gravel_heap_part, offset(), bytes(), of, &out.buffer, &out.first, &out.pointer);
        return out;
    }
    heap_part part() const { return part(gravel_node(opened())); }

    /** Map this node's part, or that of another local node, to read it (gravel_map). */
    view<const T> read() const { return map<const T>(CL_MAP_READ, gravel_node(opened()), 0, to_end); }
    view<const T> read(uint32_t of, size_t first = 0, size_t n = to_end) const {
        return map<const T>(CL_MAP_READ, of, first, n);
    }
    /** Map it to read and write. */
    view<T> modify() { return map<T>(CL_MAP_READ | CL_MAP_WRITE, gravel_node(opened()), 0, to_end); }
    view<T> modify(uint32_t of, size_t first = 0, size_t n = to_end) {
        return map<T>(CL_MAP_READ | CL_MAP_WRITE, of, first, n);
    }
    /** Map it to write every element: what is there before is undefined (CL_MAP_WRITE_INVALIDATE_REGION). */
    view<T> overwrite() { return map<T>(CL_MAP_WRITE_INVALIDATE_REGION, gravel_node(opened()), 0, to_end); }
    view<T> overwrite(uint32_t of, size_t first = 0, size_t n = to_end) {
        return map<T>(CL_MAP_WRITE_INVALIDATE_REGION, of, first, n);
    }
    /** gravel_fill of the parts of all nodes of this process. */
    void fill(const T &value) {
        for (uint32_t of = 0; of < gravel_n_nodes(opened()); of++)
            if (gravel_is_local(opened(), of))
                fill(value, of);
    }
    /** gravel_fill of a local node's part. */
    void fill(const T &value, uint32_t of, size_t first = 0, size_t n = to_end) {
        const uint64_t at = position(first, n);
        call(gravel_fill, at, uint64_t{n * sizeof(T)}, &value, uint64_t{sizeof(T)}, of);
    }

    /** gravel_put: complete after a quiet or barrier. */
    void put(const T *data, size_t n, uint32_t to, size_t first = 0) {
        const uint64_t at = position(first, n);
        call(gravel_put, at, data, uint64_t{n * sizeof(T)}, to);
    }
    void put(const std::vector<T> &data, uint32_t to, size_t first = 0) { put(data.data(), data.size(), to, first); }
    /** gravel_get: waits for the elements. */
    std::vector<T> get(uint32_t from, size_t first = 0, size_t n = to_end) const {
        const uint64_t at = position(first, n);
        std::vector<T> out(n);
        call(gravel_get, at, out.data(), uint64_t{n * sizeof(T)}, from);
        return out;
    }
    /** gravel_update of one element by GRAVEL_PUT or GRAVEL_ADD to GRAVEL_XOR. */
    void update(uint32_t op, size_t i, T value, uint32_t to) {
        size_t one = 1;
        const uint64_t at = position(i, one);
        call(gravel_update, op, type_of<T>(), at, &value, to);
    }
    void inc(size_t i, uint32_t to) {
        size_t one = 1;
        const uint64_t at = position(i, one);
        call(gravel_update, GRAVEL_INC, type_of<T>(), at, nullptr, to);
    }

private:
    /** @return the heap offset of elements [first, first + n) @param n  [in, out] to_end is the rest. */
    uint64_t position(size_t first, size_t &n) const {
        const uint64_t begin = offset();
        if (n == to_end && first <= size_)
            n = size_ - first;
        if (first > size_ || n > size_ - first)
            throw error(GRAVEL_ERANGE, std::to_string(n) + " elements from " + std::to_string(first) +
                                           " of an array of " + std::to_string(size_));
        return begin + first * sizeof(T);
    }
    template <typename U> view<U> map(cl_map_flags flags, uint32_t of, size_t first, size_t n) const {
        const uint64_t at = position(first, n);
        void *mapped = nullptr;
        call(gravel_map, at, uint64_t{n * sizeof(T)}, flags, of, &mapped);
        return view<U>(state_->gravel, mapped, n);
    }
    uint64_t offset_ = 0;
    size_t size_;
};

inline counted node::barrier_sum(const array<cl_uint> &counters) {
    const uint64_t offset = counters.offset();
    const auto n = static_cast<uint32_t>(std::min(counters.size(), size_t{UINT32_MAX}));
    const size_t n_asked = std::min(n, GRAVEL_MAX_COUNTERS); /* more are refused */
    counted out{std::vector<uint64_t>(n_asked), std::vector<uint64_t>(n_asked)};
    call(gravel_barrier_sum, offset, n, out.own.data(), out.sums.data());
    return out;
}

/** A program that includes "gravel.cl.h". */
class program : protected detail::of_node {
public:
    /** gravel_program_build. */
    program(const node &of, const std::string &source, const std::string &name = "program.cl",
            const std::string &build_options = "")
        : of_node(of) {
        build(gravel_program_build, name.c_str(), source.c_str(), build_options.c_str());
    }
    /** gravel_program_build_file. */
    static program file(const node &of, const std::string &path, const std::string &build_options = "") {
        program made(of);
        made.build(gravel_program_build_file, path.c_str(), build_options.c_str());
        return made;
    }
    /** gravel_server_build: for launch_server. */
    static program server(const node &of, const std::string &source, const std::string &name = "program.cl",
                          const std::string &build_options = "") {
        program made(of);
        made.build(gravel_server_build, name.c_str(), source.c_str(), build_options.c_str());
        return made;
    }
    cl_program get() const noexcept { return program_.get(); }

private:
    friend class kernel;
    explicit program(const node &of) : of_node(of) {}
    template <typename F, typename... A> void build(F function, A... arguments) {
        cl_program built = nullptr;
        call(function, arguments..., &built);
        program_.reset(built);
    }
    detail::cl_object<cl_program, clReleaseProgram> program_;
};

class mirror;
class accumulator;
class block_pool;

/** A kernel. One thread at a time sets its arguments. */
class kernel : protected detail::of_node {
public:
    kernel(const program &of, const std::string &name) : of_node(of), parameters_{name, {}} {
        cl_int status = CL_SUCCESS;
        opened();
        kernel_.reset(clCreateKernel(of.get(), name.c_str(), &status));
        detail::check_cl(status, "clCreateKernel of " + name);
        read_parameters();
    }
    cl_kernel get() const noexcept { return kernel_.get(); }
    const std::string &name() const noexcept { return parameters_.kernel; }
    /** All arguments, as node::launch has them. */
    template <typename... A> void set_all(const A &...arguments) const {
        if (sizeof...(A) != parameters_.list.size())
            throw error(GRAVEL_EINVAL, name() + " has " + std::to_string(parameters_.list.size()) +
                                           " arguments, given are " + std::to_string(sizeof...(A)));
        cl_uint i = 0;
        (set(i++, arguments), ...);
    }
    /** An argument, from 0. GRAVEL_EINVAL if the kernel takes another kind, or a value of another size, there. */
    void set(cl_uint i, arena_argument) const {
        parameters_.check(i, GRAVEL_PARAMETER_ARENA, 0, "gvl::arena");
        call(gravel_kernel_set_arena, get(), i);
    }
    template <typename T> void set(cl_uint i, const array<T> &value) const { set_offset(i, value.offset()); }
    void set(cl_uint i, const mirror &value) const;
    void set(cl_uint i, const accumulator &value) const;
    void set(cl_uint i, const block_pool &value) const;
    void set(cl_uint i, cl_mem value) const { set_bytes(i, GRAVEL_PARAMETER_OBJECT, sizeof value, &value, "a cl_mem"); }
    void set(cl_uint i, local_memory value) const {
        set_bytes(i, GRAVEL_PARAMETER_LOCAL, value.bytes, nullptr, "gvl::local_memory");
    }
    template <typename T> void set(cl_uint i, const T &value) const {
        detail::require_argument<T>();
        set_bytes(i, GRAVEL_PARAMETER_VALUE, sizeof value, &value, "a value");
    }

private:
    friend class flow;
    friend class rounds;
    kernel(const of_node &of, cl_kernel made, const std::string &name) : of_node(of), parameters_{name, {}} {
        kernel_.reset(made);
        read_parameters();
    }
    void read_parameters() {
        uint32_t n = 0;
        call(gravel_kernel_parameters, get(), nullptr, sizeof(gravel_parameter), 0u, &n);
        parameters_.list.resize(n);
        call(gravel_kernel_parameters, get(), parameters_.list.data(), sizeof(gravel_parameter), n, &n);
    }
    void set_offset(cl_uint i, cl_ulong offset) const {
        set_bytes(i, GRAVEL_PARAMETER_VALUE, sizeof offset, &offset, "an offset in the heap, a ulong");
    }
    void set_bytes(cl_uint i, uint32_t kind, size_t bytes, const void *value, const char *given) const {
        opened();
        parameters_.check(i, kind, bytes, given);
        detail::check_cl(clSetKernelArg(get(), i, bytes, value),
                         "argument " + std::to_string(i) + " of " + name() + ", " + std::to_string(bytes) + " bytes");
    }
    detail::parameters parameters_;
    detail::cl_object<cl_kernel, clReleaseKernel> kernel_;
};

template <typename... A>
void node::launch(const kernel &launched, const sizes &global, const sizes &local, const A &...arguments) {
    opened();
    if constexpr (sizeof...(A) > 0)
        launched.set_all(arguments...);
    if (local.n_dimensions() && local.n_dimensions() != global.n_dimensions())
        throw error(GRAVEL_EINVAL, launched.name() + ": the global size has " + std::to_string(global.n_dimensions()) +
                                       " dimensions, the local size " + std::to_string(local.n_dimensions()));
    call(gravel_launch, launched.get(), global.n_dimensions(), global.data(), local.data(), 0u, nullptr, nullptr);
}

template <typename... A> void node::launch_server(const kernel &launched, uint64_t n_items, const A &...arguments) {
    opened();
    if constexpr (sizeof...(A) > 0)
        launched.set_all(arguments...);
    call(gravel_server_launch, launched.get(), n_items, 0u, nullptr, nullptr);
}

/** Words of other nodes that kernels read, or add to: mirror.h. */
class mirror : public detail::part<gravel_mirror, gravel_mirror_destroy> {
public:
    /** Copies (gravel_mirror_create). @param n_words  [nodes] of each node's part, in `indices`. Collective. */
    template <typename T> mirror(const node &of, const array<T> &words, const std::vector<uint64_t> &n_words,
                                 const std::vector<uint32_t> &indices)
        : part(of) {
        const gravel_words plan = plan_of(words, n_words, indices);
        make([&](gravel_mirror **made) { return gravel_mirror_create(made, opened(), &plan); });
    }
    /** Slots (gravel_mirror_create_slots). Collective. */
    template <typename T> mirror(const node &of, uint32_t op, const array<T> &words,
                                 const std::vector<uint64_t> &n_words, const std::vector<uint32_t> &indices)
        : part(of) {
        const gravel_words plan = plan_of(words, n_words, indices);
        make([&](gravel_mirror **made) { return gravel_mirror_create_slots(made, opened(), op, &plan); });
    }
    void begin() { call_part(gravel_mirror_begin); }
    void end() { call_part(gravel_mirror_end); }
    void share() { call_part(gravel_mirror_share); }
    /** Heap offset of copy, or slot, 0 [bytes]; of copies until the next end. */
    uint64_t offset() const { return gravel_mirror_offset(get()); }
    /** After any error it stays, unless the node has failed. Collective. */
    void destroy() { destroy_together(gravel_mirror_destroy); }

private:
    template <typename T> gravel_words plan_of(const array<T> &words, const std::vector<uint64_t> &n_words,
                                               const std::vector<uint32_t> &indices) const {
        uint64_t sum = 0;
        for (uint64_t n : n_words)
            sum += n;
        if (n_words.size() != gravel_n_nodes(opened()) || sum != indices.size())
            throw error(GRAVEL_EINVAL, "a plan has a number of words for each of " +
                                           std::to_string(gravel_n_nodes(opened())) + " nodes, not " +
                                           std::to_string(n_words.size()) + ", and their sum, " + std::to_string(sum) +
                                           ", of indices, not " + std::to_string(indices.size()));
        gravel_words plan{};
        plan.bytes = sizeof plan;
        plan.offset = words.offset();
        plan.type = type_of<T>();
        plan.n_words = n_words.data();
        plan.indices = indices.data();
        return plan;
    }
};

inline void kernel::set(cl_uint i, const mirror &value) const {
    set_offset(i, value.offset());
}

namespace detail {
/** An accumulator that its node's close finds sends what still waits. */
inline int flush_and_destroy(gravel_accumulator *accumulator) {
    const int flushed = gravel_accumulator_flush(accumulator);
    const int destroyed = gravel_accumulator_destroy(accumulator);
    return flushed ? flushed : destroyed;
}
} // namespace detail

/** Words of all nodes that kernels add to: accumulator.h. */
class accumulator : public detail::part<gravel_accumulator, detail::flush_and_destroy> {
public:
    /** gravel_accumulator_create of a whole array. Collective. */
    template <typename T> accumulator(const node &of, const array<T> &words, uint32_t op) : part(of) {
        make([&](gravel_accumulator **made) {
            return gravel_accumulator_create(made, opened(), words.offset(), words.size(), op, type_of<T>());
        });
    }
    void flush() { call_part(gravel_accumulator_flush); }
    void begin() { call_part(gravel_accumulator_begin); }
    void reset() { call_part(gravel_accumulator_reset); }
    /** GRAVEL_EINVAL if words wait. After any error it stays, unless the node has failed. Collective. */
    void destroy() { destroy_together(gravel_accumulator_destroy); }
};

inline void kernel::set(cl_uint i, const accumulator &value) const {
    parameters_.check(i, GRAVEL_PARAMETER_ACCUMULATOR, 0, "a gvl::accumulator");
    state_->check(gravel_kernel_set_accumulator(value.get(), get(), i));
}

/** Blocks of memory that kernels allocate: block_pool.h. */
class block_pool : public detail::part<gravel_block_pool, gravel_block_pool_destroy> {
public:
    /** gravel_block_pool_create. Collective. */
    block_pool(const node &of, uint64_t block_bytes, uint64_t n_blocks) : part(of) {
        make([&](gravel_block_pool **made) {
            return gravel_block_pool_create(made, opened(), block_bytes, n_blocks);
        });
    }
    /** Returns the heap offset that kernels take [bytes]. */
    uint64_t offset() const { return gravel_block_pool_offset(get()); }
    gravel_block_pool_stats stats() const {
        gravel_block_pool_stats read{};
        state_->check(gravel_block_pool_stats_read(get(), &read, sizeof read));
        return read;
    }
    /** After any error it stays, unless the node has failed. Collective. */
    void destroy() { destroy_together(gravel_block_pool_destroy); }
};

inline void kernel::set(cl_uint i, const block_pool &value) const {
    set_offset(i, value.offset());
}

/** Elements that a level of a channel holds at most, and most that one held between two rounds. */
struct channel_stats {
    uint32_t width, peak;
};

/** A channel-flow graph with its memory: flow.h. */
class flow : public detail::part<gravel_flow, gravel_flow_destroy> {
public:
    /** gravel_flow_create, e.g. of gvl::channel_graph(channels, depth). */
    flow(const node &of, const gravel_channel_graph &graph) : part(of) {
        for (uint32_t i = 0; i < graph.n_channels; i++)
            record_bytes_[graph.channels[i].name ? graph.channels[i].name : ""] = graph.channels[i].record_bytes;
        make([&](gravel_flow **made) { return gravel_flow_create(made, opened(), &graph); });
    }
    flow(flow &&) noexcept = default;
    /** Destroys the flow that was there, as its destructor does. */
    flow &operator=(flow from) noexcept {
        swap_part(from);
        record_bytes_.swap(from.record_bytes_);
        return *this;
    }
    ~flow() { drop("gvl::~flow"); }
    void build(const std::string &source, const std::string &function, const std::string &name = "flow.cl",
               const std::string &build_options = "") {
        call_part(gravel_flow_build, name.c_str(), source.c_str(), build_options.c_str(), function.c_str());
        parameters_ = kernel(function).parameters_;
    }
    /** An argument, from 2: what kernel::set takes, except accumulators. */
    template <typename T> void set(cl_uint i, const array<T> &value) { set_offset(i, value.offset()); }
    void set(cl_uint i, const mirror &value) { set_offset(i, value.offset()); }
    void set(cl_uint i, const block_pool &value) { set_offset(i, value.offset()); }
    void set(cl_uint i, cl_mem value) { set_bytes(i, GRAVEL_PARAMETER_OBJECT, sizeof value, &value, "a cl_mem"); }
    void set(cl_uint i, local_memory value) {
        set_bytes(i, GRAVEL_PARAMETER_LOCAL, value.bytes, nullptr, "gvl::local_memory");
    }
    template <typename T> void set(cl_uint i, const T &value) {
        detail::require_argument<T>();
        set_bytes(i, GRAVEL_PARAMETER_VALUE, sizeof value, &value, "a value");
    }
    template <typename T> void push(const std::string &channel, const std::vector<T> &records) {
        call_part(gravel_flow_push, of_record<T>(channel), records.data(), count(records.size()));
    }
    template <typename T> void post(const std::string &channel, const std::vector<T> &records) {
        call_part(gravel_flow_post, of_record<T>(channel), records.data(), count(records.size()));
    }
    void run() { call_part(gravel_flow_run); }
    void start() { call_part(gravel_flow_start); }
    void wait() { call_part(gravel_flow_wait); }
    /** gravel_flow_call. @param to  offset of the slot in the record [bytes]. @return what was returned to the slot. */
    template <typename R, typename T> R run(const std::string &channel, T record, size_t to) {
        R result{};
        call_part(gravel_flow_call, of_record<T>(channel), &record, to, &result, sizeof result);
        return result;
    }
    /** The oldest elements of an output, `most` at most. */
    template <typename T> std::vector<T> take(const std::string &channel, uint32_t most) {
        std::vector<T> out(most);
        uint32_t n = 0;
        call_part(gravel_flow_take, of_record<T>(channel), out.data(), most, &n);
        out.resize(n);
        return out;
    }
    /** Another kernel of its program, for produce. It goes before the flow. */
    gvl::kernel kernel(const std::string &function) const {
        cl_kernel made = nullptr;
        call_part(gravel_flow_kernel, function.c_str(), &made);
        return gvl::kernel(*this, made, function);
    }
    void produce(const gvl::kernel &producer, size_t n_items, const std::vector<gravel_edge> &into) {
        call_part(gravel_flow_produce, producer.get(), n_items, into.data(), count(into.size()));
    }
    gravel_flow_stats stats() const {
        gravel_flow_stats out{};
        call_part(gravel_flow_stats_read, &out, sizeof out);
        return out;
    }
    /** gravel_flow_channel_read. */
    channel_stats stats(const std::string &channel) const {
        channel_stats out{};
        call_part(gravel_flow_channel_read, channel.c_str(), &out.width, &out.peak);
        return out;
    }
    void reset_stats() { call_part(gravel_flow_stats_reset); }
    /** Throws also what a run came to that no wait has returned. */
    void destroy() { destroy_part(); }

private:
    void set_offset(cl_uint i, cl_ulong offset) {
        set_bytes(i, GRAVEL_PARAMETER_VALUE, sizeof offset, &offset, "an offset in the heap, a ulong");
    }
    void set_bytes(cl_uint i, uint32_t kind, size_t bytes, const void *value, const char *given) {
        get();
        parameters_.check(i, kind, bytes, given);
        call_part(gravel_flow_set_argument, i, bytes, value);
    }
    template <typename T> const char *of_record(const std::string &channel) const {
        static_assert(std::is_trivially_copyable_v<T>, "records travel as bytes");
        const auto at = record_bytes_.find(channel);
        if (at != record_bytes_.end() && at->second != sizeof(T))
            throw error(GRAVEL_EINVAL, "records of channel " + channel + " have " + std::to_string(at->second) +
                                           " bytes, not " + std::to_string(sizeof(T)));
        return channel.c_str();
    }
    static uint32_t count(size_t n) {
        if (n > ~uint32_t{0})
            throw error(GRAVEL_ERANGE, std::to_string(n) + " elements");
        return static_cast<uint32_t>(n);
    }
    std::map<std::string, uint32_t> record_bytes_;
    detail::parameters parameters_{"a flow that is not built", {}};
};

/** Tasks for kernels that steal work: steal.h. */
class deques : public detail::part<gravel_steal, gravel_steal_destroy> {
public:
    /** gravel_steal_create; 0 is chosen for the device. */
    explicit deques(const node &of, uint32_t task_bytes = 0, uint32_t capacity = 0, uint32_t group_size = 0,
                    uint32_t n_groups = 0)
        : part(of) {
        gravel_steal_options chosen{};
        chosen.bytes = sizeof chosen;
        chosen.n_groups = n_groups;
        chosen.group_size = group_size;
        chosen.capacity = capacity;
        chosen.task_bytes = task_bytes;
        task_bytes_ = task_bytes ? task_bytes : 8;
        make([&](gravel_steal **made) { return gravel_steal_create(made, opened(), &chosen); });
    }
    deques(deques &&) noexcept = default;
    /** Destroys the deques that were there, as their destructor does. */
    deques &operator=(deques from) noexcept {
        swap_part(from);
        std::swap(task_bytes_, from.task_bytes_);
        return *this;
    }
    ~deques() { drop("gvl::~deques"); }
    template <typename T> void fill(const std::vector<T> &tasks) {
        static_assert(std::is_trivially_copyable_v<T>, "tasks travel as bytes");
        if (sizeof(T) != task_bytes_)
            throw error(GRAVEL_EINVAL,
                        "tasks have " + std::to_string(task_bytes_) + " bytes, not " + std::to_string(sizeof(T)));
        call_part(gravel_steal_fill, tasks.data(), uint64_t{tasks.size()});
    }
    /** gravel_steal_launch; all other arguments of the kernel are set before, by kernel::set. */
    void launch(const kernel &launched) { call_part(gravel_steal_launch, launched.get(), 0u, nullptr, nullptr); }
    void wait() { call_part(gravel_steal_wait); }
    uint32_t n_groups() const { return gravel_steal_n_groups(get()); }
    gravel_steal_stats stats(uint32_t group = GRAVEL_ALL_GROUPS) const {
        gravel_steal_stats out{};
        call_part(gravel_steal_stats_read, &out, sizeof out, group);
        return out;
    }
    void reset_stats() { call_part(gravel_steal_stats_reset); }
    void destroy() { destroy_part(); }

private:
    uint32_t task_bytes_;
};

/** A kernel of phases, and its runs: rounds.h. */
class rounds : public detail::part<gravel_rounds, gravel_rounds_destroy> {
public:
    /** gravel_rounds_create; 0 is chosen for the device. Collective. */
    rounds(const node &of, const std::string &source, const std::string &function,
           const std::string &name = "rounds.cl", const std::string &build_options = "", uint32_t group_items = 0,
           uint32_t n_groups = 0)
        : part(of), function_(function) {
        gravel_rounds_program program{};
        program.bytes = sizeof program;
        program.name = name.c_str();
        program.source = source.c_str();
        program.options = build_options.c_str();
        program.function = function.c_str();
        program.group_items = group_items;
        program.n_groups = n_groups;
        make([&](gravel_rounds **made) { return gravel_rounds_create(made, opened(), &program); });
    }
    /** The kernel, to set its arguments, from 2; run launches it. */
    gvl::kernel kernel() const {
        cl_kernel made = nullptr;
        call_part(gravel_rounds_kernel, &made);
        return gvl::kernel(*this, made, function_);
    }
    /** gravel_rounds_run. Collective. */
    gravel_rounds_ended run(uint32_t until, uint64_t most = ~uint64_t{0}) {
        gravel_rounds_ended ended{};
        call_part(gravel_rounds_run, until, most, &ended, sizeof ended);
        return ended;
    }
    gravel_rounds_stats stats() const {
        gravel_rounds_stats read{};
        call_part(gravel_rounds_stats_read, &read, sizeof read);
        return read;
    }
    /** After any error it stays, unless the node has failed. Collective. */
    void destroy() { destroy_together(gravel_rounds_destroy); }

private:
    std::string function_;
};

} // namespace gvl

#endif
#endif
