import Model

/// A building by floor, on a terminal.
enum GridView {
  /// Each room as its symbol: a line for each floor, or more where its rooms do not fit.
  static func rooms(_ grid: RoomGrid, _ style: TerminalStyle) -> [String] {
    let heads = heads(of: grid.floors, hasFloors: grid.hasFloors, style)
    let indent = heads.map(\.columns).max() ?? 0
    let free = style.width - indent
    return zip(grid.floors, heads).flatMap { floor, head -> [String] in
      var lines: [[RoomGrid.Mark?]] = [[]]
      for (index, group) in floor.groups.enumerated() {
        if index > 0, !lines[lines.count - 1].isEmpty { lines[lines.count - 1].append(nil) }
        for cell in group {
          if lines[lines.count - 1].count >= free { lines.append([]) }
          lines[lines.count - 1].append(cell.mark)
        }
      }
      return lines.enumerated().map { index, marks in
        (index == 0 ? head : "").fitted(to: indent) + painted(marks, style)
      }
    }
  }

  /// The progress of each floor: a full bar for the rooms that are done, a lighter one for those that are written and not
  /// proved. With more floors than lines, those that a run works on come first.
  static func bars(_ grid: RoomGrid, _ style: TerminalStyle, most: Int) -> [String] {
    guard most > 0, grid.hasFloors else { return [] }
    var shown = grid.floors.enumerated().sorted {
      ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
    }
    if shown.count > most { shown = Array(shown.prefix(most - 1)) }
    let floors = shown.sorted { $0.offset < $1.offset }.map(\.element)
    let others = grid.floors.count - floors.count
    let labels = floors.map { $0.name ?? "–" }
    let column = min(max(3, style.width / 5), labels.map(\.visible.columns).max() ?? 0)
    var lines = zip(floors, labels).map { floor, label -> String in
      let (done, written) = (floor.count(.done), floor.count(.unconfirmed))
      let open = floor.count(.open) + floor.count(.actionRequired)
      let counts = " \(done)/\(floor.total)" + (open > 0 && style.width >= 40 ? " ✗\(open)" : "")
      let cells = max(1, min(20, style.width - column - 16))
      let full = done * cells / max(floor.total, 1)
      let light = (done + written) * cells / max(floor.total, 1) - full
      let bar =
        style.paint(String(repeating: "█", count: full), .green) + String(repeating: "▒", count: light)
        + style.paint(String(repeating: "░", count: cells - full - light), .dim)
      return label.visible.fitted(to: column) + " " + bar + style.paint(counts, open > 0 ? .yellow : .plain)
    }
    if others > 0 {
      // With these, the floors add up to the numbers of the panel's header.
      func rest(_ number: (RoomGrid.Floor) -> Int) -> Int {
        grid.floors.reduce(0) { $0 + number($1) } - floors.reduce(0) { $0 + number($1) }
      }
      let counts = "\(rest { $0.count(.done) })/\(rest(\.total))"
      lines.append(
        style.paint(
          "… and \(others.counted("more floor")) \(counts)".truncated(to: style.width), .dim))
    }
    return lines
  }

  /// Floor and number of rooms that are done, before the rooms.
  private static func heads(
    of floors: [RoomGrid.Floor], hasFloors: Bool, _ style: TerminalStyle
  ) -> [String] {
    let labels = floors.map { floor in
      floor.isInManifest ? floor.name?.visible ?? (hasFloors ? "–" : "") : "not in the manifest"
    }
    let column = min(max(3, style.width / 5), labels.map(\.columns).max() ?? 0)
    let counts = floors.map { "\($0.count(.done))/\($0.total)" }
    let widest = counts.map(\.columns).max() ?? 0
    return zip(labels, counts).map { label, count in
      "  " + (column > 0 ? label.fitted(to: column) + "  " : "") + count.fitted(to: widest) + "  "
    }
  }

  /// The symbols, with one colour for each series of equal ones; nil is a gap.
  private static func painted(_ marks: [RoomGrid.Mark?], _ style: TerminalStyle) -> String {
    marks.chunked { $0 == $1 }.map { alike in
      style.paint(alike.map { $0?.symbol ?? " " }.joined(), alike[0]?.tone ?? .plain)
    }.joined()
  }
}

extension RoomGrid.Floor {
  /// The order in which a short panel shows floors: at work, then not done, then done.
  fileprivate var rank: Int {
    if cells.contains(where: { $0.mark == .working || $0.mark == .state(.unconfirmed) }) { return 0 }
    return count(.done) < total ? 1 : 2
  }
}

extension RoomGrid.Mark {
  fileprivate var tone: TerminalStyle.Tone {
    switch self {
    case .state(.done): .green
    case .state(.open), .state(.missing), .state(.conflicting): .red
    case .state(.unconfirmed), .state(.changed), .state(.actionRequired), .state(.withoutDevice): .yellow
    case .state(.accepted), .state(.retired): .dim
    case .state(.untried): .plain
    case .working: .bold
    }
  }
}
