import Model

/// Rooms that are not done for the same cause.
struct FailureGroup: Hashable, Sendable {
  /// The code of their reason in words; for rooms without a reason, their outcome.
  let cause: String
  /// The explanations with their advice, each once for all rooms that share it.
  private(set) var entries: [Entry] = []

  /// One explanation, and the rooms that have it.
  struct Entry: Hashable, Sendable {
    let explanation: Explanation
    /// The rooms, in the manifest's order.
    var rooms: [RoomReport]
  }

  var count: Int { entries.reduce(0) { $0 + $1.rooms.count } }

  fileprivate mutating func add(_ room: RoomReport, _ explanation: Explanation) {
    if let place = entries.firstIndex(where: { $0.explanation == explanation }) {
      entries[place].rooms.append(room)
    } else {
      entries.append(Entry(explanation: explanation, rooms: [room]))
    }
  }
}

extension RunReport {
  /// The rooms that were not done, by cause, most rooms first.
  var failureGroups: [FailureGroup] {
    var groups: [FailureGroup] = []
    for room in selected {
      guard let explanation = Explanation(of: room) else { continue }
      let cause = (room.reason?.code.words ?? room.outcome.words).uppercasedFirst
      let place = groups.firstIndex { $0.cause == cause } ?? groups.endIndex
      if place == groups.endIndex { groups.append(FailureGroup(cause: cause)) }
      groups[place].add(room, explanation)
    }
    // A stable order: groups of the same size stay in the order of their first rooms.
    return groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .map(\.element)
  }
}

extension BuildingPage {
  /// The reasons why rooms were not done in the newest run, with advice.
  var failures: HTML {
    guard let newest else { return "" }
    let groups = newest.run.report.failureGroups
    let causes = newest.run.report.commonCauses
    guard !groups.isEmpty || !causes.isEmpty else { return "" }
    let run: HTML = "\(link(run: newest.run.started.run)), \(time(newest.run.began))"
    let rooms: HTML =
      groups.isEmpty
      ? "<p>All rooms are done after \(run).</p>"
      : "<p>The rooms that are not done after \(run), by cause.</p>"
    return section(
      "failures", groups.isEmpty ? "Failures in the newest run" : "Not done in the newest run",
      """
      \(causes.map { common($0, newest.run.report) }.joined())\(rooms)
      \(groups.map(group).joined())
      """)
  }

  /// Common causes of failures come before the rooms.
  private func common(_ cause: CommonCause, _ report: RunReport) -> HTML {
    let explanation = cause.explanation(in: report, times: times)
    let rooms = list(cause.rooms(in: report).map { ($0.id, $0.planned.name) })
    return """
      <article class="cause"><h3>Probably one cause</h3>
      <p>\(explanation.sentence)</p><p>→ \(explanation.advice)</p><p>Rooms: \(rooms)</p></article>

      """
  }

  private func group(_ group: FailureGroup) -> HTML {
    // The same advice for each room is given once.
    let advice = group.entries.map(\.explanation.advice)
    let shared = advice.allSatisfy { $0 == advice.first } ? advice.first : nil
    let entries = group.entries.map { entry -> HTML in
      let rooms = list(entry.rooms.map { ($0.id, $0.planned.name) })
      let own: HTML? = shared == nil ? "<br>→ \(entry.explanation.advice)" : nil
      return "<li><b>\(rooms)</b>: \(entry.explanation.sentence)\(own)</li>"
    }
    return """
      <article class="cause"><h3>\(group.cause): \(group.count.rooms)</h3>
      <ul>\(entries.joined())</ul>\(shared.map { "<p>→ \($0)</p>" as HTML })</article>

      """
  }
}
