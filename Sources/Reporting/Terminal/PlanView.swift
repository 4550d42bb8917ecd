import Bluetooth
package import Model

/// A plan, for a person.
package enum PlanView {
  /// The line of a room.
  package struct Row: Hashable, Sendable {
    /// The room's name.
    package var room: String
    /// The planned action.
    package var action: String
    package var device: String
    /// Its RSSI.
    package var signal: String
    /// The settings that would be written; `-` for none.
    package var writes: String
    /// The evidence, or the reason.
    package var why: String

    fileprivate var cells: [String] { [room, action, device, signal, writes, why] }
  }

  /// The rows in the order of the manifest, without the rooms that are not selected.
  /// - Parameters:
  ///   - building: The building of the plan.
  ///   - times: The local time, for days.
  package static func rows(
    _ plan: ApplyPlan, of building: Building, times: LocalTime = .utc
  ) -> [Row] {
    let rooms = Dictionary(building.rooms.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let titles = SettingTitles(building.families)
    return plan.rooms.filter { $0.exclusion?.cause != .deselected }.map { step in
      Row(
        room: step.name.visible, action: action(step), device: step.address?.description ?? "-",
        signal: step.address == nil
          ? "-" : step.rssi.map { "\($0) dBm" } ?? (step.received ? "received" : "not received"),
        writes: step.settings == nil ? "-" : step.writes(titles), why: why(step, rooms[step.room], times))
    }
  }

  /// The rows as a table. On a narrow terminal, settings and reason are below each room.
  /// - Parameters:
  ///   - times: The local time, for days.
  ///   - style: The terminal; nil for a file or a pipe, where lines have any length.
  package static func lines(
    _ plan: ApplyPlan, of building: Building, times: LocalTime = .utc, style: TerminalStyle?
  ) -> [String] {
    let rows = rows(plan, of: building, times: times)
    let table = Table.lines(header: header, rows: rows.map(\.cells))
    guard let style, table.contains(where: { $0.columns > style.width }) else { return table }
    let heads = Table.lines(header: Array(header.prefix(4)), rows: rows.map { Array($0.cells.prefix(4)) })
    let details =
      [[]]
      + rows.map { row in
        row.writes == "-" ? [row.why] : ["writes \(joining(row.writes))", row.why]
      }
    return zip(heads, details).flatMap { head, details in
      (head.columns > style.width ? style.block(head) : [head])
        + details.filter { !$0.isEmpty }
        .flatMap { style.block($0, indent: 4, hanging: 2) }
        .map { $0.replacing(unbroken, with: " ") }
    }
  }

  /// A space at which no line breaks.
  private static let unbroken = "\u{A0}"

  /// Settings in which no line breaks between name and value, unless they are long.
  private static func joining(_ writes: String) -> String {
    writes.split(separator: ", ").map {
      $0.columns > 40 ? String($0) : String($0).replacing(" ", with: unbroken)
    }
    .joined(separator: ", ")
  }

  private static let header = ["ROOM", "WHAT", "DEVICE", "SIGNAL", "WRITES", "WHY"]

  /// The counts in one line.
  package static func summary(_ plan: ApplyPlan) -> String {
    func count(_ action: PlannedStep.Action) -> Int { plan.rooms.count { $0.action == action } }
    var parts = ["\(count(.provision)) to provision", "\(count(.done)) done"]
    if count(.await) > 0 { parts.append("\(count(.await)) to be received") }
    if count(.stop) > 0 { parts.append("\(count(.stop)) not possible now") }
    if count(.exclude) > 0 { parts.append("\(count(.exclude)) excluded") }
    return parts.joined(separator: ", ")
  }

  private static func action(_ step: PlannedStep) -> String {
    switch step.action {
    case .provision: "provision"
    case .done: "done"
    case .await, .exclude: step.action.words
    case .stop: step.outcome?.words ?? step.action.words
    }
  }

  private static func why(_ step: PlannedStep, _ room: Room?, _ times: LocalTime) -> String {
    switch step.action {
    case .provision: step.basis?.words ?? ""
    case .done: (step.registered == true ? "registered, " : "") + (step.evidence?.claim(times) ?? "")
    case .await: "registered, not received yet"
    case .stop, .exclude: Explanation(of: step, room)?.sentence ?? ""
    }
  }
}
