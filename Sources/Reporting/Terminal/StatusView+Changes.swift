import Model

extension StatusView {
  /// The rooms whose state or last write differs from an earlier state of the record, grouped by the change.
  /// - Parameter since: The day or run of the earlier state, for the heading.
  package static func changes(
    from earlier: [BuildingRoom], to now: [BuildingRoom], since: String, style: TerminalStyle
  ) -> [String] {
    let before = Dictionary(earlier.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var order: [String] = []
    var names: [String: [String]] = [:]
    for room in now {
      guard let change = change(from: before[room.id], to: room) else { continue }
      if names[change] == nil { order.append(change) }
      names[change, default: []].append(room.name.visible)
    }
    let count = names.values.reduce(0) { $0 + $1.count }
    let heading = "Since \(since.visible): \(count == 0 ? "no room" : count.rooms) changed"
    return style.block(heading).map { style.paint($0, .bold) }
      + order.flatMap { change in
        style.block("\(change): \((names[change] ?? []).joined(separator: ", "))", indent: 2, hanging: 2)
      }
  }

  /// Nil for a room that is as it was.
  private static func change(from earlier: BuildingRoom?, to room: BuildingRoom) -> String? {
    let (was, isNow) = (earlier?.state ?? .untried, room.state)
    if was != isNow { return "\(was.words) → \(isNow.words)" }
    return earlier?.provisioned != room.provisioned ? "\(isNow.words), written again" : nil
  }
}
