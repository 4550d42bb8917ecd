import Model

extension StatusView {
  /// The rooms whose state or last write differs from an earlier state of the record, grouped by the change.
  /// - Parameter span: The time between both, for the heading.
  package static func changes(
    from earlier: [BuildingRoom], to now: [BuildingRoom], in span: String, style: TerminalStyle
  ) -> [String] {
    let before = Dictionary(earlier.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let changed = now.compactMap { room in
      change(from: before[room.id], to: room).map { (change: $0, name: room.name.visible) }
    }
    let heading = "\(span.visible): \(changed.isEmpty ? "no room" : changed.count.rooms) changed"
    return style.block(heading).map { style.paint($0, .bold) }
      + changed.grouped { $0.change }.flatMap { change, rooms -> [String] in
        let names = rooms.map { $0.name }.joined(separator: ", ")
        return style.block("\(change): \(names)", indent: 2, hanging: 2)
      }
  }

  /// Nil for a room that is as it was.
  private static func change(from earlier: BuildingRoom?, to room: BuildingRoom) -> String? {
    let (was, isNow) = (earlier?.state ?? .untried, room.state)
    if was != isNow { return "\(was.words) → \(isNow.words)" }
    return earlier?.provisioned != room.provisioned ? "\(isNow.words), written again" : nil
  }
}
