/* SPDX-License-Identifier: MIT */
/**
 * @file graph.hpp
 * The library of graphs as C++17: vectors in, vectors out. Link gravel-graph, too.
 *
 *     gvl::graph graph(node, n_vertices, from, to);
 *     for (uint32_t level : graph.bfs(0)) ...
 *     for (double rank : graph.pagerank()) ...
 *
 * Each member function makes the C call of its name, which is collective, and what the page of that call promises holds.
 * A vector of results has an element for each of the vertices whose results this node gets: facts().
 *
 * Errors:  as gravel.hpp has them. What only this node could say wrongly, such as vectors of two lengths, is thrown here
 *          alone: let the exception leave the node's scope, so that other nodes do not wait.
 * Memory:  the graph is destroyed by destroy(), or with its node: its destructor does nothing.
 * Threads: one at a time.
 */
#ifndef GRAVEL_GRAPH_HPP
#define GRAVEL_GRAPH_HPP

#include "graph.h"

#include <exception>
#include <gravel/gravel.hpp>

namespace gvl {

/** As gravel_graph_progress; what it throws ends the call, and comes out of it. */
using graph_progress = std::function<void(const char *call, uint64_t n_done, uint64_t n_all)>;

/** A graph on the devices of all nodes: graph.h. */
class graph : public detail::part<gravel_graph, gravel_graph_destroy> {
public:
    /** gravel_graph_create, of this node's part of the edges. I: uint32_t or uint64_t. Collective. */
    template <typename I>
    graph(const node &of, uint64_t n_vertices, const std::vector<I> &from, const std::vector<I> &to,
          bool is_undirected = false, graph_progress progress = {})
        : part(of) {
        create(edges_of(n_vertices, from, to, is_undirected), std::move(progress));
    }
    /** The same with weights. W: uint32_t, float or double. */
    template <typename I, typename W>
    graph(const node &of, uint64_t n_vertices, const std::vector<I> &from, const std::vector<I> &to,
          const std::vector<W> &weights, bool is_undirected = false, graph_progress progress = {})
        : part(of) {
        gravel_graph_edges edges = edges_of(n_vertices, from, to, is_undirected);
        if (weights.size() != from.size())
            throw error(GRAVEL_EINVAL, "gvl::graph: " + std::to_string(weights.size()) + " weights (" +
                                           std::to_string(from.size()) + " edges): give each edge one");
        const W none{};
        edges.weights = weights.empty() ? &none : weights.data();
        edges.weight_type = distance_type_ = type_of<W>();
        create(edges, std::move(progress));
    }

    gravel_graph_facts facts() const {
        gravel_graph_facts read{};
        call_part(gravel_graph_facts_read, &read, sizeof read);
        return read;
    }

    /** Levels; GRAVEL_GRAPH_FAR of vertices that no path leads to. */
    std::vector<uint32_t> bfs(uint64_t source) const {
        auto levels = room<uint32_t>();
        call_part(gravel_graph_bfs, source, levels.data(), static_cast<uint64_t *>(nullptr));
        return levels;
    }
    /** The vertex before each on a path of fewest edges; GRAVEL_GRAPH_NONE. */
    std::vector<uint64_t> bfs_parents(uint64_t source) const {
        auto parents = room<uint64_t>();
        call_part(gravel_graph_bfs, source, static_cast<uint32_t *>(nullptr), parents.data());
        return parents;
    }
    /** Distances, of the type of the weights; uint32_t without. */
    template <typename W = uint32_t> std::vector<W> sssp(uint64_t source) const {
        if (type_of<W>() != distance_type_)
            throw error(GRAVEL_EINVAL, "gvl::graph::sssp: distances have the type of the weights, without any uint32_t");
        auto distances = room<W>();
        call_part(gravel_graph_sssp, source, static_cast<void *>(distances.data()), static_cast<uint64_t *>(nullptr));
        return distances;
    }
    std::vector<uint64_t> sssp_parents(uint64_t source) const {
        auto parents = room<uint64_t>();
        call_part(gravel_graph_sssp, source, static_cast<void *>(nullptr), parents.data());
        return parents;
    }
    /** T: float or double. @param options  [in, out] members that are 0 are the defaults; bytes and type are set here. */
    template <typename T = double> std::vector<T> pagerank(gravel_graph_pagerank_options &options) const {
        auto ranks = room<T>();
        options.bytes = sizeof options;
        options.type = type_of<T>();
        call_part(gravel_graph_pagerank, &options, static_cast<void *>(ranks.data()));
        return ranks;
    }
    template <typename T = double> std::vector<T> pagerank() const {
        gravel_graph_pagerank_options options{};
        return pagerank<T>(options);
    }
    /** The least vertex of each one's component. @param n  [out] components; or null. */
    std::vector<uint64_t> components(uint64_t *n = nullptr) const {
        auto labels = room<uint64_t>();
        call_part(gravel_graph_components, labels.data(), n);
        return labels;
    }
    /** Of each edge, as this node gave it, 1: it is in the forest. @param n  [out] edges of the whole forest; or null. */
    std::vector<uint8_t> forest(uint64_t *n = nullptr) const {
        std::vector<uint8_t> is_in(n_given_ + 1);
        call_part(gravel_graph_forest, is_in.data(), n);
        is_in.pop_back();
        return is_in;
    }
    /** @param n  [out] colours; or null. */
    std::vector<uint32_t> color(uint32_t *n = nullptr) const {
        auto colors = room<uint32_t>();
        call_part(gravel_graph_color, colors.data(), n);
        return colors;
    }
    std::vector<uint32_t> core_numbers() const {
        auto cores = room<uint32_t>();
        call_part(gravel_graph_core_numbers, cores.data());
        return cores;
    }
    /** @param options  bytes is set here. */
    std::vector<double> betweenness(gravel_graph_betweenness_options options = {}) const {
        auto centrality = room<double>();
        options.bytes = sizeof options;
        call_part(gravel_graph_betweenness, static_cast<const gravel_graph_betweenness_options *>(&options), centrality.data());
        return centrality;
    }
    /** @param total  [out] of the graph; or null. */
    std::vector<uint64_t> triangles(uint64_t *total = nullptr) const {
        auto found = room<uint64_t>();
        call_part(gravel_graph_triangles, found.data(), total);
        return found;
    }
    /** After any error it stays, unless the node has failed. Collective. */
    void destroy() { destroy_together(gravel_graph_destroy); }

private:
    template <typename I>
    static gravel_graph_edges edges_of(uint64_t n_vertices, const std::vector<I> &from, const std::vector<I> &to,
                                       bool is_undirected) {
        static_assert(std::is_unsigned_v<I> && (sizeof(I) == 4 || sizeof(I) == 8), "vertices are uint32_t or uint64_t");
        if (from.size() != to.size())
            throw error(GRAVEL_EINVAL, "gvl::graph: " + std::to_string(from.size()) + " sources and " +
                                           std::to_string(to.size()) + " targets: give each edge one of both");
        gravel_graph_edges edges{};
        edges.bytes = sizeof edges;
        edges.n_vertices = n_vertices;
        edges.n_edges = from.size();
        edges.from = from.data();
        edges.to = to.data();
        edges.id_bytes = sizeof(I);
        edges.is_undirected = is_undirected;
        return edges;
    }
    using watcher = std::pair<graph_progress, std::exception_ptr>;
    static int report(void *user, const char *call, uint64_t n_done, uint64_t n_all) {
        auto &[function, thrown] = *static_cast<watcher *>(user);
        try {
            function(call, n_done, n_all);
        } catch (...) {
            thrown = std::current_exception();
        }
        return thrown != nullptr;
    }
    /** Has come out what the progress function threw. */
    template <typename F> void rethrowing(F call) const try {
        call();
    } catch (const error &) {
        if (watcher_ && watcher_->second)
            std::rethrow_exception(std::exchange(watcher_->second, nullptr));
        throw;
    }
    template <typename F, typename... A> void call_part(F function, A... arguments) const {
        rethrowing([&] { part::call_part(function, arguments...); });
    }
    void create(gravel_graph_edges edges, graph_progress progress) {
        if (progress) {
            watcher_ = std::make_unique<watcher>(std::move(progress), nullptr);
            edges.progress = report;
            edges.progress_user = watcher_.get();
        }
        n_given_ = edges.n_edges;
        rethrowing([&] { make([&](gravel_graph **made) { return gravel_graph_create(made, opened(), &edges); }); });
    }
    /** Room for results, never NULL. */
    template <typename T> std::vector<T> room() const {
        std::vector<T> made;
        made.reserve(facts().n + 1);
        made.resize(facts().n);
        return made;
    }
    uint32_t distance_type_ = GRAVEL_UINT;
    uint64_t n_given_ = 0;
    std::unique_ptr<watcher> watcher_;
};

} // namespace gvl

#endif
