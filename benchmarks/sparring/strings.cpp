// A Dots and Boxes player for matches against the strongest level: alpha-beta on the graph of strings.
//
// It shares no code with the project. A position without boxes to capture is a multigraph: its vertices are the boxes
// with three or four free edges ("joints") and the ground, its edges are strings of n boxes with two free edges each.
// A string of n = 0 is a safe edge. All edges of a string are one move, but the middle of a string of two. Captures are
// forced, except that the capturer may leave the last 2 boxes of a string, or 4 of a loop, and thereby pass the turn:
//     value before capturing T boxes = T - d + |d + value of the rest|, d = 2 or 4, or T + value of the rest.
// (Berlekamp, The Dots and Boxes Game, 2000; Barker and Korf, Solving Dots-And-Boxes, 2012.)
//
// Lines on stdin: `new COLS ROWS`, `play EDGE`, `go SECONDS`, `solve SECONDS`, `quit`; for experiments also `set NAME
// VALUE` (a parameter of the player) and `win SECONDS` (whether the seat to move wins). Edges are numbers: first the
// horizontal ones, row by row from the bottom, then the vertical ones. `go` answers `move EDGE ...` with statistics,
// `solve` the exact margin for the seat to move (boxes from here on) or `unknown`. Time is processor time.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

using u64 = uint64_t;
using u8 = uint8_t;

namespace {

constexpr int kEdges = 128, kBoxes = 63, kGround = 63;
constexpr int kScale = 16;          // estimates are in sixteenths of a box
constexpr int kInfinity = 30000;
constexpr int kChain = 128, kLoop = 192;  // codes of moves that open isolated chains and loops: plus their length

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

u64 mix(u64 x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

u64 string_key(int a, int b, int n) {
    if (a > b) std::swap(a, b);
    return mix(u64((a * 64 + b) * 64 + n) + 1);
}
u64 chain_key(int n) { return mix(0x100000ull + u64(n)); }
u64 loop_key(int n) { return mix(0x200000ull + u64(n)); }

// ---------------------------------------------------------------------------------------------------------------------
// The graph of strings

struct Graph {
    u64 safe[2], open[2];  // the strings of no box, and of some boxes
    u64 hash;
    u64 chain_mask, loop_mask;  // lengths that occur among isolated chains and loops
    int boxes;                  // boxes left
    u8 chains[64], loops[64];   // number of isolated ones by length
    u8 degree[64], at[64][4];   // strings at each joint; a string that begins and ends there occurs twice
    u8 from[kEdges], to[kEdges], length[kEdges];

    bool is_simple() const { return !(safe[0] | safe[1] | open[0] | open[1]); }
    bool has_safe() const { return safe[0] | safe[1]; }

    // The set for strings of n boxes; GCC 12 with -fsanitize=undefined miscompiles the index of a conditional array.
    u64* set_of(int n) { return n ? open : safe; }
    void link(int id) {
        int n = length[id];
        if (from[id] == kGround && to[id] == kGround) {
            ++chains[n];
            chain_mask |= 1ull << n;
            hash += chain_key(n);
        } else {
            set_of(n)[id >> 6] |= 1ull << (id & 63);
            hash += string_key(from[id], to[id], n);
        }
    }
    void unlink(int id) {
        int n = length[id];
        set_of(n)[id >> 6] &= ~(1ull << (id & 63));
        hash -= string_key(from[id], to[id], n);
    }
    void drop(int joint, int id) {
        u8* a = at[joint];
        int last = --degree[joint], i = 0;
        while (a[i] != id) ++i;
        a[i] = a[last];
    }
    // Merge the two strings of a joint that has only two free edges left.
    void settle(int joint) {
        if (degree[joint] != 2) return;
        int p = at[joint][0], q = at[joint][1];
        degree[joint] = 0;
        unlink(p);
        if (p == q) {
            int n = length[p] + 1;
            ++loops[n];
            loop_mask |= 1ull << n;
            hash += loop_key(n);
            return;
        }
        unlink(q);
        int x = from[p] == joint ? to[p] : from[p], y = from[q] == joint ? to[q] : from[q];
        from[p] = u8(x);
        to[p] = u8(y);
        length[p] = u8(length[p] + length[q] + 1);
        if (y != kGround) {
            int i = 0;
            while (at[y][i] != q) ++i;
            at[y][i] = u8(p);
        }
        link(p);
    }
    // Play a move and capture everything; return the number of boxes, and in `keep` how many may be left to pass.
    int play(int move, int& keep) {
        int taken;
        if (move >= kLoop) {
            taken = move - kLoop;
            keep = 4;
            if (!--loops[taken]) loop_mask &= ~(1ull << taken);
            hash -= loop_key(taken);
        } else if (move >= kChain) {
            taken = move - kChain;
            keep = taken > 2 ? 2 : 0;
            if (!--chains[taken]) chain_mask &= ~(1ull << taken);
            hash -= chain_key(taken);
        } else {
            int a = from[move], b = to[move];
            taken = length[move];
            keep = taken > 2 ? 2 : 0;
            unlink(move);
            if (a != kGround) drop(a, move);
            if (b != kGround) drop(b, move);
            if (a == b) {
                if (degree[a] == 1) {  // a loop on a stem: the joint and the stem fall, too
                    int stem = at[a][0], y = from[stem] == a ? to[stem] : from[stem];
                    unlink(stem);
                    taken += 1 + length[stem];
                    degree[a] = 0;
                    if (y != kGround) {
                        drop(y, stem);
                        settle(y);
                    }
                } else {
                    settle(a);
                }
            } else {
                if (a != kGround) settle(a);
                if (b != kGround) settle(b);
            }
        }
        boxes -= taken;
        return taken;
    }
    u64 move_key(int move) const {
        if (move >= kLoop) return loop_key(move - kLoop);
        if (move >= kChain) return chain_key(move - kChain);
        return string_key(from[move], to[move], length[move]);
    }
};

// The value for the seat that opens `taken` boxes, `keep` of which can be left; `rest` is that of the rest for its mover.
int pay(int taken, int keep, int rest) { return keep ? -(taken - keep + std::abs(keep + rest)) : -(taken + rest); }

// The value when only isolated chains and loops are left. The shortest of each class is best: opening a longer one
// instead gains nothing, because lengthening a chain by one box changes a value by at most one.
int simple_value(const Graph& g) {
    int shorts[64], longs[64], loops[64], ns = 0, nl = 0, no = 0;
    for (int n = 63; n > 0; --n) {
        for (int i = 0; i < g.chains[n]; ++i) (n < 3 ? shorts[ns++] : longs[nl++]) = n;
        for (int i = 0; i < g.loops[n]; ++i) loops[no++] = n;
    }
    static int table[64][64];  // by long chains and loops left; rebuilt for each number of short ones
    static int before[64][64];
    for (int s = 0; s <= ns; ++s) {
        for (int i = 0; i <= nl; ++i)
            for (int j = 0; j <= no; ++j) {
                int best = -kInfinity;
                if (s) best = std::max(best, pay(shorts[s - 1], 0, before[i][j]));
                if (i) best = std::max(best, pay(longs[i - 1], 2, table[i - 1][j]));
                if (j) best = std::max(best, pay(loops[j - 1], 4, table[i][j - 1]));
                table[i][j] = best == -kInfinity ? 0 : best;
            }
        std::memcpy(before, table, sizeof table);
    }
    return table[nl][no];
}

struct Moves {
    int count = 0;
    struct Item {
        int score;
        u8 code;
        u64 key;
    } item[kEdges + 3];  // each string, and three isolated ones
    void add(int code, u64 key, int score) { item[count++] = {score, u8(code), key}; }
    Item& pick(int i) {
        int best = i;
        for (int j = i + 1; j < count; ++j)
            if (item[j].score > item[best].score) best = j;
        std::swap(item[i], item[best]);
        return item[i];
    }
};

uint32_t history[1 << 14];  // how often a move was good in estimates
int centrality[64];  // of a box, and 0 for the ground; larger is nearer to the centre

int history_slot(u64 key) { return int(key >> 50); }

// List the moves without dominated ones: safe ones first, then by what they give away. Proofs try those near the centre
// first, always in the same order, so that different lines transpose; estimates go by what was good elsewhere.
void list_moves(const Graph& g, Moves& moves, uint16_t hash_move, bool by_history) {
    auto add = [&](int code, u64 key, int base) {
        int score = base;
        if (by_history) score += int(std::min<uint32_t>(history[history_slot(key)] >> 4, 1u << 20));
        else if (code < kChain) score += (centrality[g.from[code]] + centrality[g.to[code]]) * 64 + (code & 63);
        if (hash_move && uint16_t(key >> 32) == hash_move) score += 1 << 28;
        moves.add(code, key, score);
    };
    u64 corner[32];  // keys of strings between a joint and the ground: only these can be twins, at corners
    int corners = 0;
    auto is_twin = [&](int id, u64 key) {
        if (g.from[id] != kGround && g.to[id] != kGround) return false;
        for (int i = 0; i < corners; ++i)
            if (corner[i] == key) return true;
        if (corners < 32) corner[corners++] = key;
        return false;
    };
    for (int w = 0; w < 2; ++w)
        for (u64 m = g.safe[w]; m; m &= m - 1) {
            int id = w * 64 + __builtin_ctzll(m);
            u64 key = g.move_key(id);
            if (!is_twin(id, key)) add(id, key, 1 << 22);
        }
    for (int w = 0; w < 2; ++w)
        for (u64 m = g.open[w]; m; m &= m - 1) {
            int id = w * 64 + __builtin_ctzll(m);
            u64 key = g.move_key(id);
            if (!is_twin(id, key)) add(id, key, (1 << 21) - (g.length[id] << 16));
        }
    auto add_first = [&](u64 mask, int code) {
        if (!mask) return;
        int n = __builtin_ctzll(mask);
        add(code + n, code == kChain ? chain_key(n) : loop_key(n), (1 << 21) - (n << 16));
    };
    add_first(g.chain_mask & 6, kChain);
    add_first(g.chain_mask & ~7ull, kChain);
    add_first(g.loop_mask, kLoop);
}

// ---------------------------------------------------------------------------------------------------------------------
// Proofs: is the value of a graph for the seat to move at least t?

struct Proof {
    u64 key;
    int8_t low, high;
    uint16_t move;
    uint32_t work;
};
struct Estimate {
    u64 key;
    int16_t value;
    int8_t depth;
    u8 bound;  // 1 lower, 2 upper, 3 exact
    uint16_t move;
    uint16_t unused;
};

std::vector<Proof> proofs;
std::vector<Estimate> estimates;
u64 nodes = 0, node_limit = 0;
double deadline = 0;
bool aborted = false;

void tick() {
    if ((++nodes & 1023) == 0 && cpu_seconds() > deadline) aborted = true;
    if (nodes > node_limit) aborted = true;
}

Proof* find_proof(u64 hash) {
    Proof* bucket = &proofs[(hash & (proofs.size() - 1)) & ~3ull];
    for (int i = 0; i < 4; ++i)
        if (bucket[i].key == hash) return &bucket[i];
    return nullptr;
}

void store_proof(u64 hash, int boxes, int t, bool holds, uint16_t move, u64 work) {
    Proof* bucket = &proofs[(hash & (proofs.size() - 1)) & ~3ull];
    Proof* place = nullptr;
    for (int i = 0; i < 4 && !place; ++i)
        if (bucket[i].key == hash) place = &bucket[i];
    if (!place) {
        place = bucket;
        for (int i = 1; i < 4; ++i)
            if (bucket[i].work < place->work) place = &bucket[i];
        *place = {hash, int8_t(-boxes), int8_t(boxes), 0, 0};
    }
    if (holds) place->low = int8_t(std::max<int>(place->low, t));
    else place->high = int8_t(std::min<int>(place->high, t - 1));
    if (move) place->move = move;
    place->work = uint32_t(std::min<u64>(work, 0xFFFFFFFFu));
}

bool is_at_least(Graph& g, int t);

// Whether the opener reaches t with a move that gives `taken` boxes and leads to `child`.
bool move_reaches(Graph& child, int taken, int keep, int t) {
    if (!keep) return !is_at_least(child, 1 - t - taken);
    int u = keep - t - taken;
    if (u < 0) return false;
    // The rest must be from -u - keep to u - keep.
    return !is_at_least(child, u - keep + 1) && !aborted && is_at_least(child, -u - keep);
}

bool is_at_least(Graph& g, int t) {
    if (t <= -g.boxes) return true;
    if (t > g.boxes) return false;
    if ((t ^ g.boxes) & 1) ++t;
    if (g.is_simple()) return simple_value(g) >= t;
    tick();
    if (aborted) return false;
    uint16_t hash_move = 0;
    if (Proof* p = find_proof(g.hash)) {
        if (p->low >= t) return true;
        if (p->high < t) return false;
        hash_move = p->move;
    }
    u64 start = nodes;
    Moves moves;
    list_moves(g, moves, hash_move, false);
    for (int i = 0; i < moves.count; ++i) {
        auto& m = moves.pick(i);
        Graph child = g;
        int keep = 0, taken = child.play(m.code, keep);
        bool holds = move_reaches(child, taken, keep, t);
        if (aborted) return false;
        if (holds) {
            u64 work = nodes - start;
            store_proof(g.hash, g.boxes, t, true, uint16_t(m.key >> 32), work);
            return true;
        }
    }
    store_proof(g.hash, g.boxes, t, false, 0, nodes - start);
    return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Estimates: alpha-beta of limited depth with playouts at the leaves

int playouts = 6;

int play_out(Graph g, u64& rng) {
    int sign = 1, keep;
    while (g.has_safe()) {
        rng = rng * 6364136223846793005ull + 1442695040888963407ull;
        int a = __builtin_popcountll(g.safe[0]), b = __builtin_popcountll(g.safe[1]);
        int k = int(((rng >> 33) * u64(a + b)) >> 31), w = 0;
        if (k >= a) w = 1, k -= a;
        u64 m = g.safe[w];
        while (k--) m &= m - 1;
        g.play(w * 64 + __builtin_ctzll(m), keep);
        sign = -sign;
    }
    int takes[64], keeps[64], n = 0;
    while (!g.is_simple()) {
        int best = -1, cost = 1000;
        for (int w = 0; w < 2; ++w)
            for (u64 m = g.open[w]; m; m &= m - 1) {
                int id = w * 64 + __builtin_ctzll(m);
                if (g.length[id] < cost) cost = g.length[id], best = id;
            }
        if (g.chain_mask && __builtin_ctzll(g.chain_mask) <= cost) best = kChain + __builtin_ctzll(g.chain_mask);
        takes[n] = g.play(best, keeps[n]);
        ++n;
    }
    int value = simple_value(g);
    while (n--) value = pay(takes[n], keeps[n], value);
    return sign * value;
}

int estimate(const Graph& g) {
    u64 rng = g.hash;
    int sum = 0;
    for (int i = 0; i < playouts; ++i) sum += play_out(g, rng);
    return sum * kScale / playouts;
}

int search(Graph& g, int depth, int alpha, int beta) {
    if (g.is_simple()) return simple_value(g) * kScale;
    tick();
    if (aborted) return 0;
    uint16_t hash_move = 0;
    if (Proof* p = find_proof(g.hash)) {
        int low = p->low * kScale, high = p->high * kScale;
        if (low >= beta || low == high) return low;
        if (high <= alpha) return high;
        hash_move = p->move;
    }
    Estimate& e = estimates[g.hash & (estimates.size() - 1)];
    if (e.key == g.hash) {
        if (e.depth >= depth) {
            if (e.bound == 3 || (e.bound == 1 && e.value >= beta) || (e.bound == 2 && e.value <= alpha)) return e.value;
        }
        if (e.move) hash_move = e.move;
    }
    if (depth <= 0) {
        int value = estimate(g);
        e = {g.hash, int16_t(value), 0, 3, 0, 0};
        return value;
    }
    Moves moves;
    list_moves(g, moves, hash_move, true);
    int best = -kInfinity, first_alpha = alpha;
    uint16_t best_move = 0;
    for (int i = 0; i < moves.count; ++i) {
        auto& m = moves.pick(i);
        Graph child = g;
        int keep = 0, taken = child.play(m.code, keep), value;
        if (!taken) {
            if (i == 0) {
                value = -search(child, depth - 1, -beta, -alpha);
            } else {
                value = -search(child, depth - 1, -alpha - 1, -alpha);
                if (value > alpha && value < beta && !aborted) value = -search(child, depth - 1, -beta, -alpha);
            }
        } else {
            int bound = -(taken - keep) * kScale;
            if (!keep) {
                value = -(taken * kScale + search(child, depth - 1, -beta - taken * kScale, -alpha - taken * kScale));
            } else if (bound <= alpha || (depth < 3 && g.has_safe() && taken > 3)) {
                value = bound;
                if (bound > alpha) continue;
            } else {
                int w = -alpha - (taken - keep) * kScale;
                int rest = search(child, depth - 1, -keep * kScale - w, -keep * kScale + w);
                value = bound - std::abs(keep * kScale + rest);
            }
        }
        if (aborted) return 0;
        if (value > best) {
            best = value;
            best_move = uint16_t(m.key >> 32);
            if (value > alpha) alpha = value;
            if (alpha >= beta) {
                uint32_t& h = history[history_slot(m.key)];
                h += uint32_t(depth * depth);
                if (h > (1u << 24))
                    for (auto& x : history) x >>= 1;
                break;
            }
        }
    }
    int bound = best >= beta ? 1 : best <= first_alpha ? 2 : 3;
    e = {g.hash, int16_t(best), int8_t(depth), u8(bound), best_move, 0};
    return best;
}

// ---------------------------------------------------------------------------------------------------------------------
// The board, with captures

struct Board {
    int cols = 0, rows = 0, edges = 0, boxes = 0;
    std::vector<int> sides[2];         // the boxes beside an edge, or -1
    std::vector<std::vector<int>> of;  // the edges of a box
    std::vector<bool> drawn;
    int margin = 0;  // boxes of the seat to move minus those of the other
    bool start(int c, int r) {
        if (c < 1 || r < 1 || c * r > kBoxes || 2 * c * r + c + r > kEdges) return false;
        cols = c, rows = r, boxes = c * r, edges = 2 * c * r + c + r, margin = 0;
        int vertical = c * (r + 1);
        sides[0].assign(size_t(edges), -1);
        sides[1].assign(size_t(edges), -1);
        of.assign(size_t(boxes), {});
        drawn.assign(size_t(edges), false);
        for (int y = 0; y < r; ++y)
            for (int x = 0; x < c; ++x)
                for (int e : {y * c + x, (y + 1) * c + x, vertical + y * (c + 1) + x, vertical + y * (c + 1) + x + 1}) {
                    of[size_t(y * c + x)].push_back(e);
                    (sides[0][size_t(e)] < 0 ? sides[0] : sides[1])[size_t(e)] = y * c + x;
                }
        return true;
    }
    int degree(int box) const {
        int n = 0;
        for (int e : of[size_t(box)]) n += !drawn[size_t(e)];
        return n;
    }
    int across(int e, int box) const { return sides[0][size_t(e)] == box ? sides[1][size_t(e)] : sides[0][size_t(e)]; }
    int free_edge(int box, int except = -1) const {
        for (int e : of[size_t(box)])
            if (!drawn[size_t(e)] && e != except) return e;
        return -1;
    }
    int captured_by(int e) const {
        int n = 0;
        for (int side : {0, 1}) {
            int b = sides[side][size_t(e)];
            if (b >= 0 && degree(b) == 1) ++n;
        }
        return n;
    }
    void play(int e) {
        int n = captured_by(e);
        drawn[size_t(e)] = true;
        margin += n;
        if (!n) margin = -margin;
    }
    int first_capture() const {
        for (int b = 0; b < boxes; ++b)
            if (degree(b) == 1) return free_edge(b);
        return -1;
    }
    // Capture everything; return the number of boxes, and in `keep` how many can be left to pass the turn.
    int close(int& keep) {
        std::vector<bool> before = drawn, fallen(size_t(boxes), false);
        std::vector<int> list;
        int taken = 0;
        for (int e; (e = first_capture()) >= 0;) {
            for (int side : {0, 1}) {
                int b = sides[side][size_t(e)];
                if (b >= 0 && degree(b) == 1) fallen[size_t(b)] = true, list.push_back(b);
            }
            taken += captured_by(e);
            drawn[size_t(e)] = true;
        }
        keep = 0;
        // Each connected set of fallen boxes is a tree. With an edge out of it, the last two can be left; without, a
        // path of four.
        std::vector<bool> seen(size_t(boxes), false);
        for (int root : list) {
            if (seen[size_t(root)]) continue;
            std::vector<int> part{root};
            seen[size_t(root)] = true;
            bool has_exit = false;
            int inner = 0;
            for (size_t i = 0; i < part.size(); ++i) {
                int links = 0;
                for (int e : of[size_t(part[i])]) {
                    if (before[size_t(e)]) continue;
                    int b = across(e, part[i]);
                    if (b < 0 || !fallen[size_t(b)]) {
                        has_exit = true;
                        continue;
                    }
                    ++links;
                    if (!seen[size_t(b)]) seen[size_t(b)] = true, part.push_back(b);
                }
                if (links > 1) ++inner;
            }
            if (has_exit && part.size() >= 2) keep = 2;
            if (!has_exit && inner >= 2 && !keep) keep = 4;
        }
        return taken;
    }
};

struct RootMove {
    int code, edge;
};

// Build the graph of a board without captures, and list one edge for each of its moves.
Graph build(const Board& board, std::vector<RootMove>& moves) {
    Graph g;
    std::memset(&g, 0, sizeof g);
    std::vector<bool> seen(size_t(board.edges), false);
    int next_id = 0;
    auto walk = [&](int start, int first) {
        int box = start, e = first, n = 0, end;
        std::vector<int> path;
        for (;;) {
            seen[size_t(e)] = true;
            path.push_back(e);
            end = board.across(e, box);
            if (end < 0 || board.degree(end) != 2 || (n && seen[size_t(board.free_edge(end, e))])) break;
            ++n;
            box = end;
            e = board.free_edge(box, e);
            if (seen[size_t(e)]) break;
        }
        int edge = path[n == 2 ? 1 : 0];
        return std::tuple<int, int, int>(n, end, edge);
    };
    for (int b = 0; b < board.boxes; ++b) {
        int d = board.degree(b);
        if (d) ++g.boxes;
        if (d < 3) continue;
        for (int e : board.of[size_t(b)]) {
            if (board.drawn[size_t(e)] || seen[size_t(e)]) continue;
            auto [n, end, edge] = walk(b, e);
            int id = next_id++;
            g.from[id] = u8(b);
            g.to[id] = u8(end < 0 ? kGround : end);
            g.length[id] = u8(n);
            g.at[b][g.degree[b]++] = u8(id);
            if (end >= 0) g.at[end][g.degree[end]++] = u8(id);
            g.link(id);
            moves.push_back({id, edge});
        }
    }
    for (int e = 0; e < board.edges; ++e) {  // chains from the ground to the ground
        if (board.drawn[size_t(e)] || seen[size_t(e)] || board.sides[1][size_t(e)] >= 0) continue;
        int box = board.sides[0][size_t(e)], n = 0, edge = e;
        std::vector<int> path{e};
        seen[size_t(e)] = true;
        while (box >= 0) {
            ++n;
            edge = board.free_edge(box, edge);
            seen[size_t(edge)] = true;
            path.push_back(edge);
            box = board.across(edge, box);
        }
        ++g.chains[n];
        g.chain_mask |= 1ull << n;
        g.hash += chain_key(n);
        moves.push_back({kChain + n, path[n == 2 ? 1 : 0]});
    }
    for (int e = 0; e < board.edges; ++e) {  // loops
        if (board.drawn[size_t(e)] || seen[size_t(e)]) continue;
        int box = board.sides[0][size_t(e)], n = 0, edge = e;
        do {
            seen[size_t(edge)] = true;
            ++n;
            edge = board.free_edge(box, edge);
            box = board.across(edge, box);
        } while (edge != e);
        ++g.loops[n];
        g.loop_mask |= 1ull << n;
        g.hash += loop_key(n);
        moves.push_back({kLoop + n, e});
    }
    return g;
}

// ---------------------------------------------------------------------------------------------------------------------
// The player

struct Answer {
    int edge = -1;
    const char* kind = "only";
    int depth = 0, value = 0;
};

struct Candidate {
    RootMove move;
    Graph child;
    int taken, keep;
    int value;       // the estimate
    int known;       // 1 proved to reach the goal, -1 proved not to, 0 open
    u64 work;
};

std::vector<Candidate> list_candidates(const Board& board, Graph& g) {
    std::vector<RootMove> all;
    g = build(board, all);
    std::vector<Candidate> candidates;
    Moves moves;
    list_moves(g, moves, 0, true);
    for (int i = 0; i < moves.count; ++i) {
        auto& m = moves.pick(i);
        for (const RootMove& r : all)
            if (r.code == m.code) {
                Candidate c{r, g, 0, 0, 0, 0, 0};
                c.taken = c.child.play(r.code, c.keep);
                candidates.push_back(c);
                break;
            }
    }
    return candidates;
}

int deepen(std::vector<Candidate>& list, double until, int& depth_done) {
    deadline = until;
    node_limit = ~0ull;
    aborted = false;
    depth_done = 0;
    for (int depth = 1; depth < 60; ++depth) {
        int alpha = -kInfinity;
        std::vector<int> values(list.size(), -kInfinity);
        for (size_t i = 0; i < list.size() && !aborted; ++i) {
            Candidate& c = list[i];
            Graph child = c.child;
            int value;
            if (!c.keep) {
                int t = c.taken * kScale;
                if (i) {
                    value = -(t + search(child, depth - 1, -alpha - 1 - t, -alpha - t));
                    if (value > alpha && !aborted) value = -(t + search(child, depth - 1, -kInfinity, -alpha - t));
                } else {
                    value = -(t + search(child, depth - 1, -kInfinity, kInfinity));
                }
            } else {
                int bound = -(c.taken - c.keep) * kScale, w = std::min(kInfinity / 2, bound - alpha);
                if (w <= 0) value = bound;
                else value = bound - std::abs(c.keep * kScale + search(child, depth - 1, -c.keep * kScale - w, -c.keep * kScale + w));
            }
            if (aborted) break;
            values[i] = value;
            alpha = std::max(alpha, value);
        }
        if (aborted) {  // a better move found by an unfinished iteration counts
            size_t best = 0;
            for (size_t i = 0; i < list.size(); ++i)
                if (values[i] > values[best]) best = i;
            if (best && values[0] > -kInfinity && values[best] > values[0]) std::rotate(list.begin(), list.begin() + long(best), list.begin() + long(best) + 1);
            break;
        }
        depth_done = depth;
        for (size_t i = 0; i < list.size(); ++i) list[i].value = values[i];
        std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
    }
    return list[0].value;
}

// Parameters of the player, which `set NAME VALUE` changes.
double guess_share = 0.25;  // of the time, for the estimates that order the moves
int prove_from = 46;        // try proofs with this many edges left

Answer choose(Board& board, double seconds) {
    double start = cpu_seconds(), end = start + seconds;
    nodes = 0;
    Answer answer;
    Board rest = board;
    int keep = 0, taken = rest.close(keep);
    if (taken) {
        int last = -1;
        for (int b = 0; b < board.boxes; ++b)
            if (board.degree(b) == 1) {
                int e = board.free_edge(b);
                Board after = board;
                int gained = after.captured_by(e), later = 0;
                after.play(e);
                int t = after.close(later);
                last = e;
                if (!keep || (later == keep && t + gained == taken) || (later == 2 && keep == 2)) {
                    answer.edge = e;
                    return answer;
                }
            }
        // Only the last boxes are left: take them, or leave them and pass the turn.
        std::vector<RootMove> all;
        Graph g = build(rest, all);
        bool takes = true;
        answer.kind = "proof";
        node_limit = ~0ull;
        deadline = start + 0.8 * seconds;
        aborted = false;
        bool holds = is_at_least(g, -keep);
        takes = holds;
        if (aborted) {
            aborted = false;
            std::vector<Candidate> list = list_candidates(rest, g);
            answer.value = deepen(list, end, answer.depth);
            answer.kind = "guess";
            takes = answer.value >= -keep * kScale;
        }
        answer.edge = last;
        if (!takes) {
            for (int e = 0; e < board.edges; ++e) {
                if (board.drawn[size_t(e)] || board.captured_by(e)) continue;
                Board after = board;
                after.play(e);
                int later = 0;
                if (after.close(later) == taken && !later && after.drawn == rest.drawn) {
                    answer.edge = e;
                    break;
                }
            }
        }
        return answer;
    }
    Graph g;
    std::vector<Candidate> list = list_candidates(board, g);
    answer.edge = list[0].move.edge;
    if (list.size() == 1) return answer;
    int left = int(std::count(board.drawn.begin(), board.drawn.end(), false));
    bool proves = left <= prove_from;
    answer.value = deepen(list, proves ? start + guess_share * seconds : end, answer.depth);
    answer.edge = list[0].move.edge;
    answer.kind = "guess";
    if (!proves) return answer;
    int goal = 1 - board.margin;
    deadline = end;
    bool open = true;
    for (u64 limit = 20000; open && cpu_seconds() < end; limit *= 4) {
        open = false;
        for (Candidate& c : list) {
            if (c.known) continue;
            aborted = false;
            u64 before = nodes;
            node_limit = nodes + limit;
            Graph child = c.child;
            bool holds = move_reaches(child, c.taken, c.keep, goal);
            c.work += nodes - before;
            if (!aborted) c.known = holds ? 1 : -1;
            else open = true;
            if (c.known == 1) {
                answer.edge = c.move.edge;
                answer.kind = "win";
                return answer;
            }
            if (cpu_seconds() > end) break;
        }
    }
    const Candidate* best = nullptr;
    for (const Candidate& c : list)
        if (!c.known) {
            best = &c;
            break;
        }
    if (!best) {  // all lose: the refutation that took most work is the hardest to find
        answer.kind = "loss";
        for (const Candidate& c : list)
            if (!best || c.work > best->work) best = &c;
    }
    answer.edge = best->move.edge;
    return answer;
}

void begin_proof(double seconds) {
    nodes = 0;
    node_limit = ~0ull;
    deadline = cpu_seconds() + seconds;
    aborted = false;
}

bool solve(const Board& board, double seconds, int& value) {
    Board rest = board;
    int keep = 0, taken = rest.close(keep);
    std::vector<RootMove> all;
    Graph g = build(rest, all);
    begin_proof(seconds);
    int low = -g.boxes, high = g.boxes;
    while (low < high) {
        int middle = low + (high - low + 2) / 4 * 2;
        if (middle == low) middle += 2;
        bool holds = is_at_least(g, middle);
        if (aborted) return false;
        if (holds) low = middle;
        else high = middle - 2;
    }
    value = taken ? taken - keep + (keep ? std::abs(keep + low) : low) : low;
    return true;
}

// 1 if the seat to move wins, 0 if not, -1 if the time does not suffice.
int can_win(const Board& board, double seconds) {
    Board rest = board;
    int keep = 0, taken = rest.close(keep), goal = 1 - board.margin;
    std::vector<RootMove> all;
    Graph g = build(rest, all);
    begin_proof(seconds);
    // The best margin is taken - keep + |keep + rest|.
    int need = goal - (taken - keep);
    bool won = keep == 0 ? is_at_least(g, goal - taken) : need <= 0 || is_at_least(g, need - keep) || !is_at_least(g, 1 - need - keep);
    return aborted ? -1 : won;
}

}  // namespace

int main() {
    proofs.resize(1 << 22);
    estimates.resize(1 << 20);
    Board board;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        std::string word;
        in >> word;
        if (word == "quit") break;
        if (word == "new") {
            int c = 0, r = 0;
            in >> c >> r;
            if (c > kBoxes || r > kBoxes || !board.start(c, r)) {
                std::cout << "error board" << std::endl;
                continue;
            }
            for (int b = 0; b < c * r; ++b)
                centrality[b] = 40 - std::abs(2 * (b % c) - (c - 1)) - std::abs(2 * (b / c) - (r - 1));
            std::fill(proofs.begin(), proofs.end(), Proof{0, 0, 0, 0, 0});
            std::fill(estimates.begin(), estimates.end(), Estimate{0, 0, 0, 0, 0, 0});
            std::fill(std::begin(history), std::end(history), 0u);
            std::cout << "ready" << std::endl;
        } else if (word == "play") {
            int e = -1;
            in >> e;
            if (e < 0 || e >= board.edges || board.drawn[size_t(e)]) std::cout << "error edge" << std::endl;
            else board.play(e), std::cout << "margin " << board.margin << std::endl;
        } else if (word == "set") {
            std::string name;
            double value = 0;
            in >> name >> value;
            if (name == "playouts") playouts = int(value);
            else if (name == "guess_share") guess_share = value;
            else if (name == "prove_from") prove_from = int(value);
            std::cout << "ok" << std::endl;
        } else if (!board.edges) {
            std::cout << "error no board" << std::endl;
        } else if (word == "go") {
            double seconds = 0.1, start = cpu_seconds();
            in >> seconds;
            Answer a = choose(board, seconds);
            std::cout << "move " << a.edge << " seconds " << cpu_seconds() - start << " nodes " << nodes << " kind " << a.kind << " depth "
                      << a.depth << " value " << double(a.value) / kScale << std::endl;
        } else if (word == "win") {
            double seconds = 60, start = cpu_seconds();
            in >> seconds;
            int won = can_win(board, seconds);
            std::cout << "win " << won << " nodes " << nodes << " seconds " << cpu_seconds() - start << std::endl;
        } else if (word == "solve") {
            double seconds = 60, start = cpu_seconds();
            in >> seconds;
            int value = 0;
            if (solve(board, seconds, value)) std::cout << "value " << value;
            else std::cout << "unknown";
            std::cout << " nodes " << nodes << " seconds " << cpu_seconds() - start << std::endl;
        } else {
            std::cout << "error command" << std::endl;
        }
    }
}
