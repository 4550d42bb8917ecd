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
    /// On what evidence, or why not.
    public var why: String
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
        why: why(step, rooms[step.room]))
    }
  }

  /// The table's header.
  public static let header = ["ROOM", "WHAT", "DEVICE", "SIGNAL", "WHY"]

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

extension PlanDifference {
  /// A room's name and what differs, in one line.
  public var words: String {
    func words(_ step: PlannedStep) -> String {
      let device = step.address.map { " \($0)" } ?? ""
      return "\(step.action.rawValue)\(device)" + (step.reason.map { " (\($0.code.rawValue))" } ?? "")
    }
    let name = (found ?? planned)?.name.visible ?? "?"
    switch (planned, found) {
    case (let planned?, let found?): return "\(name): planned \(words(planned)), now \(words(found))"
    case (nil, let found?): return "\(name): not in the plan, now \(words(found))"
    case (let planned?, nil): return "\(name): planned \(words(planned)), not in the manifest any more"
    case (nil, nil): return name
    }
  }
}
