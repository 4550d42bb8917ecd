import FoundationEssentials
import Model

/// The rooms of a building that are left to do, by what to do.
struct LeftToDo: Hashable, Sendable {
  let advice: String
  /// In the order of their first rooms.
  fileprivate(set) var causes: [Cause] = []

  /// Rooms that are open for the same reason since the same day.
  struct Cause: Hashable, Sendable {
    let state: RoomStatus.Kind
    let sentence: String
    /// A local day; nil where it is not on record.
    let since: String?
    /// In the manifest's order.
    fileprivate(set) var rooms: [BuildingRoom] = []
  }

  var count: Int { causes.reduce(0) { $0 + $1.rooms.count } }
}

extension BuildingReport {
  /// The rooms that are left to do, most rooms first.
  func leftToDo(_ times: LocalTime) -> [LeftToDo] {
    var groups: [LeftToDo] = []
    var places: [String: Int] = [:]
    for room in open {
      let explanation = Explanation(of: room, isGeneral: true)
      let since = room.since.map(times.day)
      let place = places[explanation.advice] ?? groups.count
      if place == groups.count {
        places[explanation.advice] = place
        groups.append(LeftToDo(advice: explanation.advice))
      }
      let cause = groups[place].causes.firstIndex {
        $0.state == room.state && $0.sentence == explanation.sentence && $0.since == since
      }
      if cause == nil {
        groups[place].causes.append(
          .init(state: room.state, sentence: explanation.sentence, since: since))
      }
      groups[place].causes[cause ?? groups[place].causes.count - 1].rooms.append(room)
    }
    // A stable order: groups of the same size stay in the order of their first rooms.
    return groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .map(\.element)
  }
}

extension BuildingPage {
  /// What is left to do: where, why and since when, each once.
  var left: HTML {
    let groups = report.leftToDo(times)
    return groups.isEmpty ? "" : section("open", "What is left to do", groups.map(group).joined())
  }

  private func group(_ group: LeftToDo) -> HTML {
    let causes = group.causes.map { cause -> HTML in
      let since: HTML? = cause.since.map { " since \($0)" }
      return """
        <li>\(mark(cause.state)) \(cause.state.words)\(since): \
        \(list(cause.rooms.map { ($0.id, $0.name, $0.floor) })). \(cause.sentence)
        """
    }
    return """
      <article class="cause"><h3>→ \(group.advice) <small>\(group.count.rooms)</small></h3>
      <ul>\(causes.joined())</ul></article>

      """
  }

  /// Rooms by floor; more than these are in the table only.
  private func list(_ rooms: [(id: RoomID, name: String, floor: String?)], limit: Int = 60) -> HTML {
    var floors: [(floor: String?, rooms: [HTML])] = []
    for room in rooms.prefix(limit) {
      if floors.last?.floor != room.floor || floors.isEmpty { floors.append((room.floor, [])) }
      floors[floors.count - 1].rooms.append("<b>\(link(room: room.id, room.name))</b>")
    }
    let list = floors.map { floor, rooms -> HTML in
      let title: HTML? = floor.map { "\($0.floorTitle) " }
      return title.map { $0 + rooms.joined(separator: ", ") } ?? rooms.joined(separator: ", ")
    }.joined(separator: "; ")
    return rooms.count > limit ? list + " and \(rooms.count - limit) more" : list
  }
}
