import Model

/// Rooms with the same outcome and the same advice, which are explained once.
struct AdviceGroup: Hashable, Sendable {
  /// Rooms of a group with the same cause.
  struct Cause: Hashable, Sendable {
    let sentence: String
    /// The rooms, in the manifest's order.
    fileprivate(set) var rooms: [RoomReport]
  }

  let outcome: Outcome
  let advice: String
  /// The causes, in the order of their first rooms.
  fileprivate(set) var causes: [Cause]

  var rooms: [RoomReport] { causes.flatMap(\.rooms) }
}

extension RunReport {
  /// The rooms that are not done, grouped by advice, in the order of the first room of each group. Rooms that were not selected
  /// are left out; accepted and retired rooms are included.
  var adviceGroups: [AdviceGroup] {
    struct Key: Hashable {
      var outcome: Outcome
      var advice: String
    }
    var places: [Key: Int] = [:]
    var groups: [AdviceGroup] = []
    for room in rooms where !room.outcome.isSuccess && room.planned.exclusion?.cause != .deselected {
      guard let general = Explanation(general: room) else { continue }
      let key = Key(outcome: room.outcome, advice: general.advice)
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        groups.append(AdviceGroup(outcome: room.outcome, advice: general.advice, causes: []))
      }
      if let cause = groups[place].causes.firstIndex(where: { $0.sentence == general.sentence }) {
        groups[place].causes[cause].rooms.append(room)
      } else {
        groups[place].causes.append(.init(sentence: general.sentence, rooms: [room]))
      }
    }
    return groups
  }
}
