"""Trees of call paths, as they were recorded or from events."""

from kymo_functions import COARSE, FUNCTION_EVENTS, tables
from kymo_layout import (
    EVENTS,
    FLAG_POSITIONS,
    FLAG_PROFILE,
    KINDS_OF_THREADS,
    NODE_FOLDED,
    NODE_INHERITED,
    NODES,
    Record,
)

LATE_NS, LATE = 20e6, 0.1  # of the coarse clock, behind the one that others are timed by


class Trees:
    """Sections 6 and 10."""

    def roots(self):
        """Per thread number the root of its tree, each node with its children."""
        has_events, has_calls = bool(self.chunks[EVENTS]), bool(self.chunks[FUNCTION_EVENTS])
        self.paths, self.moments = {}, {}
        if has_events and (has_calls or not self.header.flags & FLAG_PROFILE):
            roots = self.replayed_roots()
        elif self.chunks[NODES]:
            roots = self.recorded_roots()
        else:
            roots = {} if has_calls else self.replayed_roots()
        if self.functions and not (has_calls and has_events):
            self.add_calls(roots)
        for root in roots.values():
            root.finish(self.clock.rate)
        self.hang_threads(roots)
        return roots

    def recorded_roots(self):
        self.paths = {}
        roots = {}
        owners = {thread.root_node: number for number, thread in self.threads.items()}
        for record, reference, chunk_thread in self.all_nodes():
            node = Path(record.region)
            if record.parent == 0:
                thread = owners.get(reference)
                if thread is None and not getattr(self.threads.get(chunk_thread), "root_node", 1):
                    thread = chunk_thread
                if thread is None or thread in roots:
                    continue
                roots[thread] = node
                node.region, node.thread = 0, thread
            else:
                parent = self.paths.get(record.parent)
                if parent is None or record.region not in self.regions:
                    continue
                node.thread = parent.thread
                parent.children.append(node)
            self.paths[reference] = node
            if self.header.flags & FLAG_POSITIONS:
                node.locate(record)
            else:
                end = self.open_end if record.parent else self.end
                node.load(record, end, self.exact(reference))
            node.metrics = [
                Record("metric", self.data, reference * 64 + 64 * (1 + i))
                for i in range(len(self.metrics))
            ]
        for root in roots.values():
            root.prune()
        if self.header.flags & FLAG_POSITIONS:
            for number, root in roots.items():
                self.place(root, self.threads[number])
        return roots

    def place(self, root, thread):
        """Section 6, positions: the looks at a thread become times."""
        nodes = [node for _, node in root.walk()]
        seen = [node for node in self.paths.values() if node.thread == root.thread]
        last = root
        for node in seen:
            if node.seen and node.seen >= last.seen:
                last = node
        if self.is_off:
            last = root
        whole = (thread.end_ticks or self.end) - thread.start_ticks
        last.sum += max(0, whole - sum(node.sum for node in seen))
        above = {child: node for node in nodes for child in node.children}
        while last is not None and not thread.end_ticks:
            last.is_open, last = True, above.get(last)
        for node in reversed(nodes):
            below = sum(child.whole for child in node.children)
            node.whole = node.sum + below
            node.sum = node.sum if node.is_folded else node.whole

    def replayed_roots(self):
        self.paths = None
        self.moments = {}
        roots = {}
        numbers = set(self.threads) | {chunk.thread for chunk in self.chunks[EVENTS]}
        for number in sorted(numbers & set(range(max(self.threads, default=-1) + 1))):
            roots[number] = self.replay(number)
        return roots

    def has_ended(self, number):
        thread = self.threads.get(number)
        return self.is_closed or bool(thread and thread.end_ticks)

    def bare_root(self, number):
        """The root of a thread of which nothing but its time is known."""
        thread, has_ended = self.threads.get(number), self.has_ended(number)
        root = Path(0)
        root.thread, root.count = number, 1
        if thread:
            root.visit((thread.end_ticks or self.end) - thread.start_ticks, has_ended)
        root.is_open = not has_ended
        return root

    def replay(self, number):
        root, has_ended = self.bare_root(number), self.has_ended(number)
        balanced = self.balanced(number)
        events, self.dropped, still_open = balanced.end()
        stack, moments = [(root, 0)], [(0, root)]
        for i, (what, region, ticks, *_) in enumerate(events):
            own = ticks - balanced.left_out[i]
            if what == "enter":
                node = stack[-1][0].child(region)
                node.count += 1
                stack.append((node, own))
            elif what in ("leave", "unwind"):
                node, entered = stack.pop()
                node.visit(own - entered, has_ended or i < len(events) - still_open)
            moments.append((ticks, stack[-1][0]))
        self.moments[number] = moments
        root.leave_out(balanced.away)
        root.away = balanced.away
        return root

    def add_calls(self, roots):
        """Section 13: below the whole of each thread."""
        metrics = [Record("metric", bytes(64), 0) for _ in self.metrics if self.chunks[NODES]]
        for number in sorted(self.threads):
            calls = self.replay(number) if self.chunks[FUNCTION_EVENTS] else self.bare_root(number)
            for _, node in calls.walk():
                node.metrics = metrics
            root = roots.setdefault(number, calls)
            if root is calls:
                continue
            whole = root.children[0] if len(root.children) == 1 else root
            if self.regions[whole.region].kind not in KINDS_OF_THREADS:
                whole = root
            for node in {whole, root}:
                node.leave_out(calls.away)
            others, whole.children = whole.children, whole.children + calls.children
            self.nest(whole, others, calls.children)

    def nest(self, whole, others, calls):
        """What lies beside functions may have happened inside of the longest one, or of others."""
        if not calls:
            return
        longest = max(calls, key=lambda node: node.sum)
        own = longest.sum - sum(node.sum for node in longest.children)
        beside = sum(node.sum for node in others)
        is_shorter = whole.sum < sum(node.sum for node in whole.children)
        if is_shorter and 0 < beside <= own:
            longest.children += others
            whole.children = list(calls)
        elif is_shorter and beside > 0:
            self.fit(whole, others, calls)

    def fit(self, whole, others, calls):
        functions = [node for call in calls for _, node in call.walk()]
        own = {
            node: max(node.sum - sum(child.sum for child in node.children), 0) for node in functions
        }
        below, pieces = {}, []
        for other in sorted(others, key=lambda node: -node.sum):
            candidates = [node for node in functions if own[node] > 0]
            least = other.sum - self.slack(other.sum, not other.children)
            fitting = [node for node in candidates if own[node] >= least]
            if fitting and other.sum > 0:
                function = min(fitting, key=own.get)
                below[other] = function
                if not other.children:
                    other.sum = min(other.sum, own[function])
                own[function] -= other.sum
            elif not other.children:
                pieces += self.share_out(other, candidates, own, below)
        for other, function in ((other, below[other]) for other in others if other in below):
            function.children.append(other)
        whole.children = [node for node in whole.children if node not in below]
        for function, piece in pieces:
            function.children.append(piece)

    def slack(self, ticks, is_leaf):
        """By how much what lies beside functions may be longer than the function it was in."""
        late = min(LATE_NS / self.clock.rate, LATE * ticks)
        is_late = is_leaf and any(table.cost == COARSE for table, _ in tables(self))
        return ticks / 1000 + (late if is_late else 0)

    def share_out(self, other, candidates, own, below):
        """[(function, its part)] of what no function has enough own time for."""
        least, pieces = self.slack(other.sum, True), []
        for function in sorted(candidates, key=lambda node: -own[node]):
            ticks = min(own[function], other.sum)
            own[function] -= ticks
            if other.sum - ticks <= least:
                other.sum, below[other] = ticks, function
                break
            pieces.append((function, other.split(ticks)))
        return pieces

    def hang_threads(self, roots):
        for number in sorted(self.threads):
            thread = self.threads[number]
            creator = None
            if self.paths is not None:
                creator = self.paths.get(thread.parent_node)
                if creator is not None and creator.is_pruned:
                    creator = None
            elif thread.parent < number and thread.parent in self.moments:
                # Where the parent stood just before its first event from then on.
                for ticks, node in self.moments[thread.parent]:
                    if ticks < thread.start_ticks or creator is None:
                        creator = node
            if creator is None and thread.parent < number:
                creator = roots.get(thread.parent)
            if creator is not None and creator.thread < number and number in roots:
                creator.creates.append(number)


class Path:
    """A node of the tree."""

    def __init__(self, region):
        self.region, self.thread = region, None
        self.children, self.creates, self.metrics = [], [], []
        self.count = self.closed = self.sum = self.min = self.max = 0
        self.squares = 0.0
        self.away = self.seen = 0
        self.is_open = self.is_folded = self.is_inherited = self.is_pruned = False

    def load(self, record, end, exact):
        self.count, self.sum = record.count, record.sum
        self.is_folded = bool(record.flags & NODE_FOLDED)
        self.is_inherited = bool(record.flags & NODE_INHERITED)
        self.is_open = record.enter != 0
        if self.is_open:
            self.sum += max(0, end - record.enter)
        closed = (exact.closed if exact else record.count + self.is_inherited) - self.is_open
        if closed > 0 and record.min <= record.max:
            self.closed, self.min, self.max = closed, record.min, record.max
            self.squares = record.sum_squares

    def locate(self, record):
        """Of positions: times are the node's own until all nodes are known."""
        self.count, self.sum, self.seen = record.count, record.sum, record.enter
        self.is_folded = bool(record.flags & NODE_FOLDED)
        self.is_inherited = bool(record.flags & NODE_INHERITED)

    def visit(self, ticks, is_closed):
        self.sum += ticks
        if not is_closed:
            self.is_open = True
            return
        self.min = min(self.min, ticks) if self.closed else ticks
        self.max = max(self.max, ticks)
        self.squares += float(ticks) ** 2
        self.closed += 1

    def leave_out(self, ticks):
        self.sum = max(self.sum - ticks, 0)
        if self.closed == 1:
            self.min = self.max = self.sum
            self.squares = float(self.sum) ** 2

    def split(self, ticks):
        """So much of it, with its part of all else."""
        share = ticks / self.sum if self.sum > ticks else 1
        part = Path(self.region)
        part.thread, part.min, part.max, part.metrics = (
            self.thread,
            self.min,
            self.max,
            self.metrics,
        )
        part.sum, part.is_open = ticks, self.is_open
        part.count, part.closed = (int(n * share + 0.5) for n in (self.count, self.closed))
        part.squares = self.squares * share
        self.sum -= ticks
        self.count -= part.count
        self.closed -= part.closed
        self.squares -= part.squares
        return part

    def child(self, region):
        for child in self.children:
            if child.region == region:
                return child
        self.children.append(Path(region))
        self.children[-1].thread = self.thread
        return self.children[-1]

    def prune(self):
        """Take the paths away that were made and never entered."""
        for _, node in reversed(list(self.walk())):
            for child in node.children:
                child.is_pruned = not (
                    child.count or child.is_open or child.is_inherited or child.children
                )
            node.children = [child for child in node.children if not child.is_pruned]

    def finish(self, rate):
        for _, node in reversed(list(self.walk())):
            below = sum(child.sum_ns for child in node.children)
            own = node.sum * rate
            node.sum_ns = own + below if node.is_folded else max(own, below)
            node.self_ns = node.sum_ns - below
            node.min_ns, node.max_ns = node.min * rate, node.max * rate
            node.squares_ns = node.squares * rate * rate

    def walk(self):
        """(depth, node) of this node and all below, parents first; paths may be deep."""
        pending = [(0, self)]
        while pending:
            depth, node = pending.pop()
            yield depth, node
            pending.extend((depth + 1, child) for child in reversed(node.children))
