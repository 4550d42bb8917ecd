package import Model

/// The order of the runs of a record, from the predecessors that each run names. No clock is involved.
///
/// It is a partial order: runs of two laptops may not know each other. `sorted` is one of the sequences that it
/// permits, the first one by id, and always the same; nothing is decided by the position of two runs that do not
/// know each other.
package struct RunOrder: Sendable {
  /// A run, and the runs that it names.
  package struct Node: Sendable {
    package var id: String
    package var predecessors: [String]
    /// Named predecessors whose journal has continued since the run read it: they come first, but the run does
    /// not know all of them.
    package var partlyRead: Set<String> = []

    package init(id: String, predecessors: [String]) {
      (self.id, self.predecessors) = (id, predecessors)
    }
  }

  /// The positions of the runs, each after the runs that it names.
  package let sorted: [Int]
  private let ids: [String]
  private let places: [String: Int]
  /// The positions of the runs that each run names.
  private let named: [[Int]]
  /// The runs that each run knows.
  private let known: [Places]
  /// Whether each run knows all runs before it: then no two runs contradict each other.
  let isComplete: Bool

  package init(_ nodes: [Node]) {
    let places = Dictionary(
      nodes.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let named = nodes.map { node in Set(node.predecessors.compactMap { places[$0] }).sorted() }
    let sorted = Self.sort(nodes.map(\.id), named)
    var known = [Places](repeating: Places(below: nodes.count), count: nodes.count)
    for place in sorted {
      for other in named[place] where !nodes[place].partlyRead.contains(nodes[other].id) {
        let earlier = known[other]
        known[place].formUnion(earlier)
        known[place].insert(other)
      }
    }
    ids = nodes.map(\.id)
    (self.places, self.sorted, self.named, self.known) = (places, sorted, named, known)
    var before = Places(below: nodes.count)
    isComplete = sorted.allSatisfy { place in
      defer { before.insert(place) }
      return known[place] == before
    }
  }

  /// The order of runs in memory, each with its first event.
  package init(_ runs: [[RunEvent]]) {
    self.init(
      runs.enumerated().map { index, events in
        Node(
          id: events.first?.fact.started?.run ?? "#\(index)",
          predecessors: (events.first?.fact.started?.predecessors ?? []).map(\.run))
      })
  }

  /// What a run after these runs in memory names; they have no hashes.
  package static func predecessors(after runs: [[RunEvent]]) -> [Predecessor] {
    RunOrder(runs.filter { $0.first?.fact.started != nil }).heads.map { Predecessor(run: $0, last: "") }
  }

  /// Whether a run had read another one to its end, directly or through others.
  package func knows(_ run: String, _ other: String) -> Bool {
    guard let place = places[run], let other = places[other] else { return false }
    return known[place].contains(other)
  }

  /// The run that a run continues: it knows that run, what that run knows, and nothing else. Nil for a first run, and for
  /// one that joins several.
  func continued(by run: String) -> String? {
    guard let named = places[run].map({ named[$0] }), named.count == 1, knows(run, ids[named[0]]) else {
      return nil
    }
    return ids[named[0]]
  }

  /// The runs that no other run knows, as in `sorted`.
  package var heads: [String] {
    var all = Places(below: ids.count)
    for places in known { all.formUnion(places) }
    return sorted.filter { !all.contains($0) }.map { ids[$0] }
  }

  /// Kahn's algorithm; of several possible runs the one with the least id comes first. Runs in a cycle, which
  /// only a forged record can have, come last.
  private static func sort(_ ids: [String], _ named: [[Int]]) -> [Int] {
    var successors = [[Int]](repeating: [], count: ids.count)
    var left = named.map(\.count)
    for (place, others) in named.enumerated() {
      for other in others { successors[other].append(place) }
    }
    // Sorted so that the next run is the last element.
    func isLater(_ a: Int, _ b: Int) -> Bool { (ids[a], a) > (ids[b], b) }
    var ready = ids.indices.filter { left[$0] == 0 }.sorted(by: isLater)
    var sorted: [Int] = []
    while let next = ready.popLast() {
      sorted.append(next)
      for successor in successors[next] {
        left[successor] -= 1
        guard left[successor] == 0 else { continue }
        let place = ready.firstIndex { isLater(successor, $0) } ?? ready.endIndex
        ready.insert(successor, at: place)
      }
    }
    return sorted + ids.indices.filter { left[$0] > 0 }.sorted { isLater($1, $0) }
  }
}

/// Positions, as bits.
private struct Places: Equatable {
  private var words: [UInt64]

  init(below count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

  func contains(_ place: Int) -> Bool { words[place / 64] & 1 << UInt64(place % 64) != 0 }

  mutating func insert(_ place: Int) { words[place / 64] |= 1 << UInt64(place % 64) }

  mutating func formUnion(_ other: Places) {
    for word in words.indices { words[word] |= other.words[word] }
  }
}

extension Fact {
  /// The content of a `run_started`; nil for any other fact.
  package var started: RunStarted? { if case .runStarted(let fact) = self { fact } else { nil } }
}
