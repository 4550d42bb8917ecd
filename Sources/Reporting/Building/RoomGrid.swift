package import FoundationEssentials
package import Model

/// The rooms of a building as a picture: a row for each floor, a cell for each room. The page, `status` and the panel of a
/// run draw it.
package struct RoomGrid: Hashable, Sendable {
  /// What is known of a room: its state by the record, or that a run works on it now.
  package enum Mark: Hashable, Sendable {
    case state(RoomStatus.Kind)
    case working

    package static let all = RoomStatus.Kind.allCases.map(Mark.state) + [.working]

    /// Nil while a run works on it.
    var state: RoomStatus.Kind? { if case .state(let state) = self { state } else { nil } }

    /// Its name for programs, such as the class of its cell.
    package var name: String { state?.rawValue ?? "working" }
    var words: String { state?.words ?? "in progress" }
    /// The meaning of the mark, as a clause.
    var meaning: String { state?.meaning ?? "a run works on it now" }
    /// A symbol that differs from the others without colour.
    package var symbol: String { state?.symbol ?? "⋯" }
  }

  /// A room.
  package struct Cell: Hashable, Sendable {
    package let id: RoomID
    /// Its place in the report, from 1.
    package let place: Int
    package let name: String
    package var mark: Mark
    /// Since when that is its state; nil where that is not on record.
    package var since: Date?
  }

  /// The rooms of one floor.
  package struct Floor: Hashable, Sendable {
    /// Nil for rooms without a floor, and for those that the manifest no longer has.
    package let name: String?
    package let isInManifest: Bool
    /// Consecutive rooms of the same group.
    package let groups: [[Cell]]

    package var cells: [Cell] { groups.flatMap(\.self) }
    /// The rooms in service.
    package var total: Int { count { $0 != .state(.retired) } }
    package func count(_ state: RoomStatus.Kind) -> Int { count { $0 == .state(state) } }

    func count(_ matches: (Mark) -> Bool) -> Int {
      groups.reduce(0) { $0 + $1.count { matches($0.mark) } }
    }
  }

  /// The highest floor first, as in a picture of a building: in the manifest's order, or, if that begins with a lower number
  /// than it ends, in the opposite one. Rooms without a floor, and those that the manifest no longer has, come last.
  package let floors: [Floor]

  /// Whether any room has a floor.
  package var hasFloors: Bool { floors.contains { $0.name != nil } }

  /// The rooms of a building, in the manifest's order.
  /// - Parameter run: The run that works on it now, which the rooms already include; nil for none.
  package init(_ rooms: [BuildingRoom], during run: RunReport? = nil) {
    self.init(
      rooms.enumerated().map { index, room -> Place in
        let mark = run?[room.id].flatMap { Mark(inProgress: $0) }
        let cell = Cell(
          id: room.id, place: index + 1, name: room.name, mark: mark ?? .state(room.state),
          since: mark == nil ? room.since : nil)
        return Place(
          row: .init(floor: room.isInManifest ? room.floor : nil, isInManifest: room.isInManifest),
          group: room.group, cell: cell)
      })
  }

  /// The rooms that a run works on.
  package init(_ run: RunReport) {
    self.init(
      run.rooms.enumerated().filter { !$0.element.isExcluded }.map { index, room -> Place in
        Place(
          row: .init(floor: room.planned.floor, isInManifest: true), group: room.planned.group,
          cell: Cell(id: room.id, place: index + 1, name: room.planned.name, mark: Mark(room)))
      })
  }

  /// The place of a cell.
  private struct Place {
    struct Row: Hashable {
      var floor: String?
      var isInManifest: Bool
    }

    var row: Row
    var group: String?
    var cell: Cell
  }

  private init(_ places: [Place]) {
    let rows = places.grouped { $0.row }.map { row, places in
      Floor(
        name: row.floor, isInManifest: row.isInManifest,
        groups: places.chunked { $0.group == $1.group }.map { $0.map { $0.cell } })
    }
    let named = rows.filter { $0.name != nil }
    let heights = named.compactMap { floor in
      floor.name.flatMap { name in
        Int(name, in: -99...999) ?? (name.lowercased().contains("ground") ? 0 : nil)
      }
    }
    let isUpwards = heights.count > 1 && zip(heights, heights.dropFirst()).allSatisfy { $0 < $1 }
    floors = (isUpwards ? named.reversed() : named) + rows.filter { $0.name == nil }
  }
}

extension RoomGrid.Mark {
  /// The state of a room of a run, by the run alone.
  fileprivate init(_ room: RoomReport) {
    self =
      switch room.outcome {
      case .provisioned, .provisionedAfterRetry, .alreadyProvisioned: .state(.done)
      case .unconfirmed: .state(.unconfirmed)
      case .cancelled where !room.isFinished: .working
      case .pending where !room.isFinished: .state(.untried)
      case .actionRequired: .state(.actionRequired)
      case .failed, .unreachable, .ambiguous, .pending, .skipped, .cancelled: .state(.open)
      }
  }

  /// What the record cannot say of a room while a run is in progress: that the run works on it, or waits for somebody.
  fileprivate init?(inProgress room: RoomReport) {
    guard !room.isExcluded, !room.isFinished else { return nil }
    switch room.outcome {
    case .cancelled: self = .working
    case .actionRequired: self = .state(.actionRequired)
    default: return nil
    }
  }
}

extension BuildingRoom {
  /// Since when it is in its state; nil where that is not on record.
  var since: Date? {
    switch state {
    case .done: (provisioned ?? seen)?.at
    case .missing: missingSince?.at
    case .unconfirmed: (provisioned ?? failingSince)?.at
    case .open, .actionRequired: failingSince?.at
    case .accepted: acceptance?.given.at
    case .retired: retirement?.recorded.at
    case .withoutDevice: release?.recorded.at
    case .changed, .conflicting, .untried: nil
    }
  }

  /// The first of the newest runs that all did not do it.
  private var failingSince: RecordedAt? {
    runs.reversed().prefix { !$0.room.outcome.isSuccess }.last?.recorded
  }
}

extension RoomGrid.Cell {
  /// The number of a room that has one, with the signs within it (`3.10`, `B-17`), in at most five columns; of a longer one
  /// the end, which differs from room to room. Else the first four columns of its name.
  var shortName: String {
    func isOfWord(_ character: Character) -> Bool { character.isNumber || character.isLetter }
    let numbers = name.split(whereSeparator: \.isWhitespace).filter { $0.contains(where: \.isNumber) }
      .map { String($0.drop { !isOfWord($0) }.reversed().drop { !isOfWord($0) }.reversed()) }
    let most = numbers.isEmpty ? 4 : 5
    let text = (numbers.max { $0.count < $1.count } ?? name).visible
    var short = ""
    for character in numbers.isEmpty ? text : String(text.reversed())
    where short.columns + character.columns <= most {
      short.append(character)
    }
    return numbers.isEmpty ? short : String(short.reversed())
  }

  /// Its name, its state, and since when: `Room 312: missing since 2026-11-20`.
  package func title(_ times: LocalTime) -> String {
    "\(name): \(mark.words)" + (since.map { " since \(times.day($0))" } ?? "")
  }
}

extension RoomGrid.Floor {
  var title: String {
    isInManifest ? name?.floorTitle ?? "no floor" : "not in the manifest"
  }

  /// `26 of 32 done, 2 open, 1 missing`.
  var words: String {
    let others = RoomGrid.Mark.all.filter { $0 != .state(.done) }.compactMap { mark in
      let rooms = count { $0 == mark }
      return rooms > 0 ? "\(rooms) \(mark.words)" : nil
    }
    return (["\(count(.done)) of \(total) done"] + others).joined(separator: ", ")
  }
}

extension String {
  /// A floor's name in a sentence: `floor 3`, `Ground floor`.
  var floorTitle: String { lowercased().contains("floor") ? self : "floor \(self)" }
}
