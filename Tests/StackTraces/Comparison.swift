/// Compares the observations of two stacks, phase by phase.
package struct Comparison: Sendable {
  /// One difference.
  package struct Difference: Hashable, Sendable, CustomStringConvertible {
    /// The phase.
    package var phase: String
    /// The subject: a fact, two facts in an order, or the first word of an event and its delay.
    package var about: String
    /// The expected and the actual observation.
    package var details: String

    /// The complete text.
    package var description: String { "[\(phase)] \(about): \(details)" }
  }

  private let recorded: [[Player.Observations]]
  private let played: [[Player.Observations]]
  private let tolerance: Tolerance

  /// The accepted difference of delays.
  package struct Tolerance: Sendable {
    /// The maximum factor, in both directions.
    package var factor: Double
    /// The additional difference in seconds.
    package var floor: Double

    package init(factor: Double, floor: Double) {
      self.factor = factor
      self.floor = floor
    }
  }

  /// Compares recorded with played runs; each list has at least one run of the same scenario.
  package init(
    recorded: [[Player.Observations]], played: [[Player.Observations]], tolerance: Tolerance
  ) {
    self.recorded = recorded
    self.played = played
    self.tolerance = tolerance
  }

  /// The differences, in the order of the phases.
  package var differences: [Difference] {
    let names = recorded.first?.map(\.phase) ?? []
    guard recorded.allSatisfy({ $0.map(\.phase) == names }), played.allSatisfy({ $0.map(\.phase) == names })
    else {
      return [Difference(phase: "", about: "phases", details: "these are not runs of one scenario")]
    }
    return names.indices.flatMap { index in
      let phase = PhasePair(
        name: names[index], recorded: recorded.map { PhaseFacts($0[index].events) },
        played: played.map { PhaseFacts($0[index].events) })
      return phase.facts + phase.orders + phase.delays(tolerance)
    } + reports
  }

  /// How often a sensor is received, and in which phase its last report falls, is random. Whether it is
  /// received again during the scenario is not.
  private var reports: [Difference] {
    let counts = { (observations: [[Player.Observations]]) in
      observations.map { run in run.flatMap(\.events).flatMap(\.facts).count(where: isReport) }
    }
    let (real, virtual) = (counts(recorded), counts(played))
    let isAlwaysReceived = !real.contains(0)
    let isNeverReceived = real.allSatisfy { $0 == 0 }
    if isAlwaysReceived ? !virtual.contains(0) : !isNeverReceived || virtual.allSatisfy({ $0 == 0 }) {
      return []
    }
    return [Difference(phase: "", about: "RSSI", details: "reported \(real) times, but \(virtual) times")]
  }
}

/// Whether the fact is the RSSI of a received advertisement.
private func isReport(_ fact: String) -> Bool { fact.hasSuffix("Device1.RSSI = …") && !fact.hasPrefix("+ ") }

/// The facts of one run of a phase.
private struct PhaseFacts {
  /// How often each fact was observed.
  var counts: [String: Int] = [:]
  /// When each new fact was first observed: the index of the signal, and the time.
  var first: [String: (event: Int, seconds: Double)] = [:]

  init(_ events: [Event]) {
    for (index, event) in events.enumerated() {
      for fact in event.facts where !isReport(fact) { counts[fact, default: 0] += 1 }
      for news in event.news where first[news] == nil { first[news] = (index, event.seconds) }
    }
  }
}

extension Event {
  /// The facts that count for order and delay. Interfaces appear and disappear with all their properties at
  /// once.
  fileprivate var news: [String] {
    if what.hasPrefix("answer ") { return [what] }
    if what.hasPrefix("+ ") || what.hasPrefix("- ") {
      return values.keys.sorted().filter { !$0.contains(".") }.map { "\(what) \($0)" }
    }
    return facts.filter { !isReport($0) }
  }
}

private struct PhasePair {
  var name: String
  var recorded: [PhaseFacts]
  var played: [PhaseFacts]

  private func difference(_ about: String, _ details: String) -> Comparison.Difference {
    Comparison.Difference(phase: name, about: about, details: details)
  }

  // MARK: The same facts

  /// A fact that was observed equally often in each recording must be observed as often in each run; one that
  /// was observed in each recording, in each run; one that was observed in some, in none or some; no other
  /// fact may be observed.
  var facts: [Comparison.Difference] {
    let all = Set((recorded + played).flatMap(\.counts.keys)).sorted()
    return all.compactMap { fact in
      let real = recorded.map { $0.counts[fact] ?? 0 }
      let virtual = played.map { $0.counts[fact] ?? 0 }
      guard let least = real.min(), let most = real.max(), let fewest = virtual.min(),
        let highest = virtual.max()
      else { return nil }
      let isSame =
        least == most && most <= 1 ? fewest == least && highest == most : (least == 0 || fewest > 0)
      if isSame { return nil }
      return difference(
        fact, "seen \(Set(real).sorted()) times, but \(Set(virtual).sorted()) times in the virtual one")
    }
  }

  // MARK: In the same order

  /// A fact that always preceded, accompanied or followed another one must do so again, if the two are
  /// related.
  var orders: [Comparison.Difference] {
    guard let one = recorded.first else { return [] }
    let always = one.first.keys.filter { news in (recorded + played).allSatisfy { $0.first[news] != nil } }
      .sorted()
    return always.enumerated().flatMap { index, a in
      always.dropFirst(index + 1).compactMap { b in
        let real = Set(recorded.map { relation(a, b, $0) })
        let virtual = Set(played.map { relation(a, b, $0) })
        if virtual.isSubset(of: real) || real.count == 3 || real == ["before", "after"] { return nil }
        return difference(
          "\(a) / \(b)",
          "always \(real.sorted().joined(separator: " or ")), but \(virtual.sorted().joined(separator: " or "))"
        )
      }
    }
  }

  private func relation(_ a: String, _ b: String, _ facts: PhaseFacts) -> String {
    guard let a = facts.first[a]?.event, let b = facts.first[b]?.event else { return "?" }
    return a < b ? "before" : a == b ? "with" : "after"
  }

  // MARK: In the same time

  /// The median must be within a factor of the recorded one, plus or minus the floor.
  func delays(_ tolerance: Comparison.Tolerance) -> [Comparison.Difference] {
    let always = (recorded.first?.first.keys.sorted() ?? []).filter { news in
      (recorded + played).allSatisfy { $0.first[news] != nil }
    }
    return always.compactMap { news in
      let real = median(recorded.compactMap { $0.first[news]?.seconds })
      let virtual = median(played.compactMap { $0.first[news]?.seconds })
      let least = real / tolerance.factor - tolerance.floor
      let most = real * tolerance.factor + tolerance.floor
      if (least...most).contains(virtual) { return nil }
      return difference("\(news) delay", "\(real) s, but \(virtual) s")
    }
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
