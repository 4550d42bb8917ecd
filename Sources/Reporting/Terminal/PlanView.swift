import Bluetooth
public import Model

/// What a run would do, for a person.
public enum PlanView {
  /// A room's line: its name, what would be done, with which device, and why.
  public struct Row: Hashable, Sendable {
    /// The room's name.
    public var room: String
    /// What would be done.
    public var action: String
    /// The device.
    public var device: String
    /// How it is heard.
    public var signal: String
    /// What would be written to it; `-` where nothing would be.
    public var writes: String
    /// On what evidence, or why not.
    public var why: String

    fileprivate var cells: [String] { [room, action, device, signal, writes, why] }
  }

  /// The rows, in the manifest's order; rooms that are merely not selected are left out.
  /// - Parameter building: the building that the plan is of.
  public static func rows(_ plan: ApplyPlan, of building: Building) -> [Row] {
    let rooms = Dictionary(building.rooms.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return plan.rooms.filter { $0.exclusion?.cause != .deselected }.map { step in
      Row(
        room: step.name.visible, action: action(step), device: step.address?.description ?? "-",
        signal: step.address == nil
          ? "-" : step.rssi.map { "\($0) dBm" } ?? (step.heard ? "heard" : "not heard"),
        writes: step.settings == nil ? "-" : step.writes, why: why(step, rooms[step.room]))
    }
  }

  /// The rows as a table; where that is wider than the terminal, what is written and why stand below each room.
  /// - Parameter style: the terminal; nil of a file or a pipe, where a line is as long as it has to be.
  public static func lines(_ plan: ApplyPlan, of building: Building, style: TerminalStyle?) -> [String] {
    let rows = rows(plan, of: building)
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

  /// A blank at which no line ends.
  private static let unbroken = "\u{A0}"

  /// Settings in which no line ends between name and value, unless they are long.
  private static func joining(_ writes: String) -> String {
    writes.split(separator: ", ").map {
      $0.columns > 40 ? String($0) : String($0).replacing(" ", with: unbroken)
    }
    .joined(separator: ", ")
  }

  private static let header = ["ROOM", "WHAT", "DEVICE", "SIGNAL", "WRITES", "WHY"]

  /// How much there is to do, in one line.
  public static func summary(_ plan: ApplyPlan) -> String {
    func count(_ action: PlannedStep.Action) -> Int { plan.rooms.count { $0.action == action } }
    var parts = ["\(count(.provision)) to provision", "\(count(.done)) done"]
    if count(.await) > 0 { parts.append("\(count(.await)) to be heard") }
    if count(.stop) > 0 { parts.append("\(count(.stop)) cannot be done now") }
    if count(.exclude) > 0 { parts.append("\(count(.exclude)) left alone") }
    return parts.joined(separator: ", ")
  }

  private static func action(_ step: PlannedStep) -> String {
    switch step.action {
    case .provision: "provision"
    case .done: "done"
    case .await: "listen"
    case .stop: step.outcome?.words ?? "stop"
    case .exclude: "leave"
    }
  }

  private static func why(_ step: PlannedStep, _ room: Room?) -> String {
    switch step.action {
    case .provision: step.basis?.words ?? ""
    case .done: (step.registered == true ? "registered, " : "") + (step.evidence?.claim ?? "")
    case .await: "registered, not heard yet"
    case .stop, .exclude: Explanation(of: step, room)?.sentence ?? ""
    }
  }
}
