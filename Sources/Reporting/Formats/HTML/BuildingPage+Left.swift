import Model

extension BuildingPage {
  /// What is left to do in some rooms, by what to do.
  typealias Action = (advice: String, causes: [LeftRooms<RoomStatus.Kind, BuildingRoom>])

  var open: Markup {
    guard live != nil || !report.open.isEmpty else { return "" }
    return section("open", "What is left to do", "<div id=\"left\">\(left)</div>")
  }

  /// The rooms that need somebody. The page of `serve` has them by floor: whoever reads it walks through the building.
  var left: Markup {
    guard live != nil else { return articles(report.open, "h3") }
    let awaiting = awaiting
    if awaiting.isEmpty { return noneAwaiting }
    return awaiting.grouped(by: \.floor).map { floor, rooms -> Markup in
      guard let floor else { return articles(rooms, "h3") }
      return "<h3>\(floor.floorTitle.uppercasedFirst)</h3>\n\(articles(rooms, "h4"))"
    }.joined()
  }

  /// What to do, for most rooms first.
  func actions(_ rooms: [BuildingRoom]) -> [Action] {
    let left = rooms.left { room in
      LeftCause(
        state: room.state, explanation: explanation(room),
        since: room.since.map(times.day))
    }
    let actions = left.grouped { $0.cause.explanation.advice }.map { advice, causes in
      (action: (advice: advice, causes: causes), count: causes.flatMap(\.rooms).count)
    }
    // A stable order: actions for as many rooms stay in the order of their first rooms.
    return actions.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .map { $0.element.action }
  }

  /// Without what differs from room to room, which the cells and the lines of the rooms have. Whoever reads a phone has no
  /// command line.
  private func explanation(_ room: BuildingRoom) -> Explanation {
    var explanation = Explanation(of: room, isGeneral: true, times: times)
    if live != nil { explanation.advice = explanation.advice.withoutCommandLine }
    return explanation
  }

  private func articles(_ rooms: [BuildingRoom], _ heading: Markup) -> Markup {
    actions(rooms).map { advice, causes -> Markup in
      let items = causes.map { left -> Markup in
        let since: Markup? = left.cause.since.map { " since \($0)" }
        // On site, the address of a device is compared with its label.
        let explanation =
          live != nil && left.rooms.count == 1
          ? Explanation(of: left.rooms[0], times: times) : left.cause.explanation
        return """
          <li>\(mark(.state(left.cause.state))) \(left.cause.state.words)\(since): \
          \(list(left.rooms)). \(explanation.sentence)
          """
      }
      return """
        <article class="cause"><\(heading) class="advice">→ \(advice) \
        <small>\(causes.flatMap(\.rooms).count.rooms)</small></\(heading)>
        <ul>\(items.joined())</ul></article>

        """
    }.joined()
  }

  /// Rooms by floor. The file lists 60; the others are only in its table.
  private func list(_ rooms: [BuildingRoom]) -> Markup {
    let limit = live == nil ? 60 : Int.max
    let floors = rooms.prefix(limit).chunked { $0.floor == $1.floor }.map { rooms -> Markup in
      let title: Markup? = live == nil ? rooms[0].floor.map { "\($0.floorTitle) " } : nil
      let names = rooms.map { "<b>\(link(room: $0.id, $0.name))</b>" as Markup }
      return "\(title)\(names.joined(separator: ", "))"
    }
    let list: Markup = floors.joined(separator: "; ")
    return rooms.count > limit ? list + " and \(rooms.count - limit) more" : list
  }
}
