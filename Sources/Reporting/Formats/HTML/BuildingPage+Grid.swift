import Model

extension BuildingPage {
  /// The building as a picture, and the number of rooms in each state as its legend.
  var overview: Markup {
    guard live != nil || !report.rooms.isEmpty else { return "" }
    return section(
      "grid", "The building at a glance",
      "\(cells)\(live == nil ? "" : touched)<ul class=\"counts\" id=\"counts\">\(counts)</ul>")
  }

  var cells: Markup { grid.html(times) }

  /// The number of rooms in each state.
  var counts: Markup {
    let floors = grid.floors.filter(\.isInManifest)
    var items = RoomGrid.Mark.all.map { mark in (mark, floors.reduce(0) { $0 + $1.count { $0 == mark } }) }
      .filter { $0.1 > 0 }.map { mark, count -> Markup in
        "<li>\(self.mark(mark)) <b>\(count)</b> \(mark.words) <small>\(mark.meaning)</small></li>"
      }
    let others = report.rooms.count { !$0.isInManifest }
    if others > 0 { items.append("<li><b>\(others)</b> on record, not in the manifest") }
    return items.joined()
  }

  /// The symbol of a state; the word is next to it.
  func mark(_ mark: RoomGrid.Mark) -> Markup {
    "<span class=\"mark \(mark.name)\" aria-hidden=\"true\">\(mark.symbol)</span>"
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
  func html(_ times: LocalTime) -> Markup {
    let count = floors.reduce(0) { $0 + $1.cells.count }
    let size: Markup = count <= 60 ? "few" : count <= 500 ? "some" : "many"
    let rows = floors.map { floor -> Markup in
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
  fileprivate func html(_ times: LocalTime) -> Markup {
    """
    <a href="#room-\(place)" class="\(mark.name)" title="\(title(times))" data-n="\(shortName)"></a>
    """
  }
}
