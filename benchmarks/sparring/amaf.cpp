// A Square Off player for matches against the strongest level: UCT with AMAF values, and nothing else.
//
// It shares no code with the project. Playouts fill the board at random. A move's value is mixed from its own mean and
// from that of all simulations in which its colour played it later (AMAF), which counts less and less:
//     beta = sqrt(K / (3 n + K)), n visits (Gelly and Silver, Combining Online and Offline Knowledge in UCT, 2007).
//
// The board has 8 x 8 cells, with the swap, the symmetry right in each symmetric position, and marks that are kept.
// Lines on stdin: `new`, `play MOVE`, `go SECONDS`, `quit`. A move is `c5`, `swap`, or `d5h8` for the symmetry right.
// `go` answers `move MOVE seconds S kind uct value V`. Time is processor time.
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using u64 = uint64_t;

namespace {

constexpr int kSwap = 64, kRight = 65;  // codes of moves: cells; the swap; kRight + the cell to which the man goes
constexpr int kMoves = kRight + 64;
constexpr double kAmaf = 500, kExplore = 0.3;

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

u64 state = 88172645463325252ull;
u64 draw() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

std::vector<u64> squares[64];  // of each cell

void find_squares() {
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            for (int n = 1; x + n < 8 && y + n < 8; ++n) {
                int left = x < 4, right = x + n < 4, low = y < 4, high = y + n < 4;
                bool same = left == right && low == high, each = left != right && low != high;
                if (!same && !each) continue;
                int cells[4] = {8 * y + x, 8 * y + x + n, 8 * (y + n) + x, 8 * (y + n) + x + n};
                u64 mask = 0;
                for (int c : cells) mask |= 1ull << c;
                for (int c : cells) squares[c].push_back(mask);
            }
}

u64 mirror(u64 men) {  // left to right
    men = ((men >> 1) & 0x5555555555555555ull) | ((men & 0x5555555555555555ull) << 1);
    men = ((men >> 2) & 0x3333333333333333ull) | ((men & 0x3333333333333333ull) << 2);
    return ((men >> 4) & 0x0F0F0F0F0F0F0F0Full) | ((men & 0x0F0F0F0F0F0F0F0Full) << 4);
}
u64 flip(u64 men) { return __builtin_bswap64(men); }  // top to bottom

struct Board {
    u64 men[2] = {0, 0}, marks[2] = {0, 0};
    int placed = 0, last = -1;  // last: the cell of Black's last man
    bool swapped = false;

    u64 free() const { return ~(men[0] | men[1]); }
    int colour() const { return placed & 1; }
    int seat() const { return colour() ^ int(swapped); }
    bool can_swap() const { return placed == 1 && !swapped; }
    bool has_right() const {
        if (placed == 0 || placed & 1 || placed == 64) return false;
        u64 white = men[0], turned = mirror(white);
        return turned == men[1] || flip(white) == men[1] || flip(turned) == men[1];
    }
    void mark(int c, int cell) {
        for (u64 square : squares[cell])
            if ((men[c] & square) == square) marks[c] |= square;
    }
    void play(int move) {
        if (move == kSwap) {
            swapped = true;
            return;
        }
        int c = colour(), cell = move < kRight ? move : move - kRight;
        ++placed;
        if (move < kRight) {
            men[c] |= 1ull << cell;
            mark(c, cell);
            if (c == 1) last = cell;
            return;
        }
        u64 from = 1ull << last, to = 1ull << cell;
        men[1] = (men[1] ^ from) | to;
        men[0] |= from;
        if (marks[1] & from) marks[1] = (marks[1] ^ from) | to;
        mark(0, last);
        mark(1, cell);
    }
    double score() const {  // of seat 0
        int white = __builtin_popcountll(marks[0]), black = __builtin_popcountll(marks[1]);
        double value = white > black ? 1.0 : white < black ? 0.0 : 0.5;
        return swapped ? 1.0 - value : value;
    }
};

struct Node {
    int move = -1, visits = 0;
    double sum = 0;                      // of the seat that played the move
    double amaf_visits = 0, amaf_sum = 0;
    std::vector<int> children;
};

std::vector<Node> nodes;

void expand(int index, const Board& board) {
    auto add = [&](int move) {
        nodes[index].children.push_back(int(nodes.size()));
        nodes.push_back({});
        nodes.back().move = move;
    };
    for (u64 m = board.free(); m; m &= m - 1) add(__builtin_ctzll(m));
    if (board.can_swap()) add(kSwap);
    if (board.has_right())
        for (u64 m = board.free(); m; m &= m - 1) add(kRight + __builtin_ctzll(m));
}

int select(int index) {
    double log_visits = std::log(nodes[index].visits + 1.0), best_score = -1;
    int best = -1;
    for (int child : nodes[index].children) {
        const Node& n = nodes[child];
        double beta = n.amaf_visits > 0 ? std::sqrt(kAmaf / (3.0 * n.visits + kAmaf)) : 0;
        double mean = n.visits ? n.sum / n.visits : 0.5;
        double amaf = n.amaf_visits > 0 ? n.amaf_sum / n.amaf_visits : 0.5;
        double score = (1 - beta) * mean + beta * amaf + kExplore * std::sqrt(log_visits / (n.visits + 1.0));
        score += 1e-6 * double(draw() & 255);
        if (score > best_score) best_score = score, best = child;
    }
    return best;
}

void simulate(Board board) {
    std::vector<int> path{0};
    std::vector<int> seats;  // who moved at each node of the path
    int index = 0;
    u64 owner[2] = {0, 0};  // the cells that each seat has played below
    int order[64], count = 0, mover[64];
    while (board.placed < 64) {
        if (nodes[index].children.empty()) {
            if (nodes[index].visits == 0 && index != 0) break;
            expand(index, board);
        }
        int child = select(index);
        seats.push_back(board.seat());
        if (nodes[child].move < 64) order[count] = nodes[child].move, mover[count++] = board.seat();
        board.play(nodes[child].move);
        path.push_back(index = child);
    }
    int cells[64], n = 0;
    for (u64 m = board.free(); m; m &= m - 1) cells[n++] = __builtin_ctzll(m);
    while (n) {
        int k = int((draw() >> 33) % u64(n)), cell = cells[k];
        cells[k] = cells[--n];
        order[count] = cell, mover[count++] = board.seat();
        board.play(cell);
    }
    double score = board.score();
    // From the end back, so that `owner` has what is played at a node or later.
    int next = count;
    for (int i = int(path.size()) - 1; i >= 0; --i) {
        int depth_cells = 0;
        for (int j = 1; j <= i; ++j) depth_cells += nodes[path[j]].move < 64;
        while (next > depth_cells) --next, owner[mover[next]] |= 1ull << order[next];
        Node& node = nodes[path[i]];
        ++node.visits;
        if (i > 0) node.sum += seats[i - 1] == 0 ? score : 1 - score;
        if (i < int(seats.size())) {
            int seat = seats[i];
            for (int child : node.children) {
                Node& c = nodes[child];
                if (c.move < 64 && (owner[seat] >> c.move & 1)) {
                    ++c.amaf_visits;
                    c.amaf_sum += seat == 0 ? score : 1 - score;
                }
            }
        }
    }
}

std::string name(const Board& board, int move) {
    auto cell = [](int c) { return std::string{char('a' + c % 8), char('1' + c / 8)}; };
    if (move == kSwap) return "swap";
    return move < kRight ? cell(move) : cell(board.last) + cell(move - kRight);
}

int parse(const std::string& text) {
    if (text == "swap") return kSwap;
    auto cell = [&](size_t i) { return (text[i] - 'a') + 8 * (text[i + 1] - '1'); };
    return text.size() == 2 ? cell(0) : kRight + cell(2);
}

void choose(const Board& board, double seconds) {
    double start = cpu_seconds();
    nodes.assign(1, Node{});
    do {
        for (int i = 0; i < 32; ++i) simulate(board);
    } while (cpu_seconds() - start < seconds);
    int best = nodes[0].children[0];
    for (int child : nodes[0].children)
        if (nodes[child].visits > nodes[best].visits) best = child;
    std::cout << "move " << name(board, nodes[best].move) << " seconds " << cpu_seconds() - start << " kind uct value "
              << nodes[best].sum / nodes[best].visits << std::endl;
}

}  // namespace

int main() {
    find_squares();
    Board board;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string command, move;
        double seconds;
        words >> command;
        if (command == "new") {
            board = Board{};
            std::cout << "ok" << std::endl;
        } else if (command == "play" && words >> move && (move == "swap" || move.size() == 2 || move.size() == 4)) {
            board.play(parse(move));
            std::cout << "ok" << std::endl;
        } else if (command == "go" && words >> seconds && board.placed < 64) {
            choose(board, seconds);
        } else if (command == "quit") {
            break;
        } else {
            std::cout << "error " << line << std::endl;
        }
    }
}
