import Model

extension BuildingPage {
  /// The building as a picture, and the number of rooms in each state as its legend.
  var overview: HTML {
    guard !report.rooms.isEmpty else { return "" }
    return section("grid", "The building at a glance", RoomGrid(report.rooms).html(times) + counts)
  }

  /// The number of rooms in each state.
  private var counts: HTML {
    let wanted = report.rooms.filter(\.isInManifest)
    func count(_ state: RoomStatus.Kind) -> Int { wanted.count { $0.state == state } }
    var items = RoomStatus.Kind.allCases.filter { count($0) > 0 }.map { state -> HTML in
      """
      <li>\(mark(state)) <b>\(count(state))</b> \(state.words) \
      <small>\(state.meaning)</small></li>
      """
    }
    let others = report.rooms.count - wanted.count
    if others > 0 { items.append("<li><b>\(others)</b> on record, not in the manifest") }
    return items.isEmpty ? "" : "<ul class=\"counts\">\(items.joined())</ul>"
  }

  /// The symbol of a state; the word is next to it.
  func mark(_ state: RoomStatus.Kind) -> HTML {
    "<span class=\"mark \(state.rawValue)\" aria-hidden=\"true\">\(state.symbol)</span>"
  }
}

extension RoomGrid {
  /// A floor in words: `Floor 3: 26 of 32 done, 2 open`.
  func words(of floor: Floor) -> String {
    let title = floor.isInManifest && !hasFloors ? "All rooms" : floor.title.uppercasedFirst
    return "\(title): \(floor.words)"
  }

  /// A link for each room, by floor. To change one, find it by its `href`, `#room-` and its place: its class is the name
  /// of its mark, which gives it colour and symbol, and its `title` is its text.
  func html(_ times: LocalTime) -> HTML {
    let count = floors.reduce(0) { $0 + $1.cells.count }
    let size: HTML = count <= 60 ? "few" : count <= 500 ? "some" : "many"
    let rows = floors.map { floor -> HTML in
      let label = floor.isInManifest ? floor.name ?? (hasFloors ? "–" : "") : "other"
      return """
        <div class="floor" role="group" aria-label="\(words(of: floor))">\
        <p><b>\(label)</b> \(floor.count(.done))/\(floor.total)</p>\
        <p class="cells">\(floor.groups.map { $0.map { $0.html(times) }.joined() }.joined(separator: "<i></i>"))</p></div>

        """
    }
    return "<div class=\"grid \(size)\" id=\"cells\">\n\(rows.joined())</div>\n"
  }
}

extension RoomGrid.Cell {
  fileprivate func html(_ times: LocalTime) -> HTML {
    """
    <a href="#room-\(place)" class="\(mark.name)" title="\(title(times))" data-n="\(shortName)"></a>
    """
  }
}
