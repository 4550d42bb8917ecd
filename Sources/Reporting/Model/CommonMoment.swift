import Bluetooth
package import FoundationEssentials
package import Model

/// A moment at which attempts at several rooms failed together. Such failures have one cause, such as an
/// adapter that was unplugged, a bus that was restarted or a Bluetooth service that crashed.
package struct CommonMoment: Hashable, Sendable {
  package let at: Date
  package let span: Duration
  /// The rooms, in the manifest's order.
  package let rooms: [RoomID]

  /// The longest time between failures of one moment.
  ///
  /// Measured with five links (`OutageTests`): the last one ended up to 15 ms after the first when the adapter was lost, 45 ms
  /// when bluetoothd ended normally, and 99 ms when the bus was killed. Independent failures are rarely as close: at one in
  /// 10 s, which is many, three of them are within 250 ms once in 9 h.
  static let tolerance = Duration.milliseconds(250)
}

extension RunReport {
  /// The moments at which at least three rooms lost their device together, by the adapters that were in use: those of one set
  /// of adapters are one cause.
  var commonMoments: [(adapters: [AdapterID], moments: [CommonMoment])] {
    let failures = rooms.enumerated().flatMap { place, room in
      room.attemptReports.compactMap { attempt in
        attempt.lostAt.map { Loss(at: $0, place: place, adapter: attempt.adapter) }
      }
    }.sorted { ($0.at, $0.place) < ($1.at, $1.place) }
    var result: [(adapters: [AdapterID], moments: [CommonMoment])] = []
    var index = failures.startIndex
    while index < failures.endIndex {
      let first = failures[index]
      let together = failures[index...].prefix {
        $0.at.seconds - first.at.seconds <= CommonMoment.tolerance.inSeconds
      }
      let places = Set(together.map(\.place)).sorted()
      guard places.count >= CommonCause.rooms, let last = together.last, let started else {
        index += 1
        continue
      }
      index = together.endIndex
      let moment = CommonMoment(
        at: started.addingTimeInterval(first.at.seconds),
        span: .milliseconds(Int64(((last.at.seconds - first.at.seconds) * 1000).rounded())),
        rooms: places.map { rooms[$0].id })
      let adapters = Set(together.map(\.adapter)).sorted()
      if let place = result.firstIndex(where: { $0.adapters == adapters }) {
        result[place].moments.append(moment)
      } else {
        result.append((adapters, [moment]))
      }
    }
    return result
  }
}

/// An attempt whose device was lost.
private struct Loss {
  var at: ShortDuration
  var place: Int
  var adapter: AdapterID
}

extension AttemptReport {
  /// The time at which the attempt lost its device according to the radio; nil if it did not.
  ///
  /// Timeouts do not count: attempts that began together also run out of time together. Failed connections do
  /// not count either, because the kernel gives up after a fixed time, too.
  fileprivate var lostAt: ShortDuration? {
    guard let failure, let seconds else { return nil }
    let stage = stages.last { $0.failure != nil }
    switch (failure, stage?.failure) {
    case (_, .connectTimedOut?), (_, .stageTimedOut?): return nil
    case (.adapterLost, _), (.stackLost, _), (_, .linkLost?): break
    case (.linkLost, nil): break
    case (_, .stackError(let step)?): if step.stage == .connect { return nil }
    default: return nil
    }
    if let stage, let seconds = stage.seconds { return stage.begin.advanced(by: seconds) }
    return begin.advanced(by: seconds)
  }
}
