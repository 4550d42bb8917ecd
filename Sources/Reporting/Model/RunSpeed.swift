import Bluetooth
import Model

/// How fast a run was, how fast the same adapters could have been, and the change that would have saved most time.
///
/// All of it follows from the record of the run. `LowerBound` gives the time of other schedules, from the run's own survey,
/// mean times of its sessions and links at once: what the radio could do at its best is not on record.
package struct RunSpeed: Hashable, Sendable {
  /// What takes the time of an adapter. The names are frozen.
  package enum Cost: String, Hashable, Sendable, CaseIterable {
    case failedAttempts = "failed_attempts"
    case scanning
    case connecting
    case links
  }

  /// Something to change for the next run. The names are frozen.
  package enum Change: String, Hashable, Sendable, CaseIterable {
    case adapter
    case links
    case nearer
  }

  /// A change, and the seconds that it would have saved.
  package struct Saving: Hashable, Sendable {
    package let change: Change
    package let seconds: Double
    /// Where to be nearer to the devices; nil for another change, and without floors.
    package var floor: String?
  }

  /// The number of devices that were provisioned.
  package let devices: Int
  /// The names of the adapters.
  package let adapters: [String]
  /// The length of the run.
  package let seconds: Double
  /// The least time for the same devices on the same adapters; nil if the run took hardly longer.
  package let least: Double?
  /// The seconds of each cost, on average over the adapters.
  package let costs: [Cost: Double]
  /// The change that would have saved most; nil if none would have saved a tenth of the run.
  package let saving: Saving?

  /// With fewer devices, a single one decides the figures.
  private static let fewestDevices = 5
  /// The part of the run's time from which on a saving is worth a change.
  private static let worthwhile = 0.1
  /// The links at once of better controllers (docs/bluez.md, trap 29).
  static let moreLinks = 7

  package var perMinute: Double { Double(devices) * 60 / seconds }
  package var possiblePerMinute: Double? { least.map { Double(devices) * 60 / $0 } }

  /// What took most time; the first of equal ones.
  var greatest: (cost: Cost, seconds: Double) {
    Cost.allCases.map { ($0, costs[$0, default: 0]) }.reduce((.failedAttempts, 0)) { $1.1 > $0.1 ? $1 : $0 }
  }

  /// Nil for a run that did not end by itself, that waited for something other than the radio, or with too few devices.
  init?(_ report: RunReport) {
    let lanes = Timeline(report).adapters
    let done = lanes.flatMap(\.done)
    guard report.outcome == .complete || report.outcome == .incomplete, !report.hasWaited,
      done.count >= Self.fewestDevices, let end = done.map(\.over).max(), report.elapsed > .zero
    else { return nil }
    let seconds = report.elapsed.inSeconds
    (devices, self.seconds) = (done.count, seconds)
    adapters = lanes.map { $0.name ?? $0.adapter.description }

    let failed = lanes.flatMap(\.attempts).filter { $0.attempt.failure != nil }
    let search = failed.map(\.over).reduce(end, max)
    // An adapter makes one connection at a time. After the last success, it has only failed attempts and the search for
    // devices that it does not receive.
    func time(of failed: [Timeline.Attempt]) -> Double {
      let before = failed.reduce(0) { $0 + max(0, min($1.connect.end, end) - $1.connect.begin) }
      return before / Double(lanes.count) + failed.map(\.over).reduce(end, max) - end
    }
    func mean(_ seconds: (Timeline.AdapterLane) -> Double) -> Double {
      lanes.reduce(0) { $0 + seconds($1) } / Double(lanes.count)
    }
    let lost = time(of: failed)
    costs = [
      .failedAttempts: lost,
      .scanning: mean { $0.scanned(from: 0, to: end) + $0.scanned(from: search, to: seconds) },
      .connecting: mean { $0.done.reduce(0) { $0 + $1.connect.seconds } },
      .links: mean(\.full),
    ]

    let work = Work(done, lanes)
    guard work.least < seconds * 0.99 else {
      (least, saving) = (nil, nil)
      return
    }
    least = work.least
    let weak = failed.filter { $0.attempt.rssi.map { $0 < CommonCause.weak } ?? false }
    let strong = failed.filter { $0.attempt.rssi.map { $0 >= CommonCause.weak } ?? true }
    let savings = [
      Saving(change: .adapter, seconds: work.least - work.withAnotherAdapter.least),
      Saving(change: .links, seconds: work.least - work.withMoreLinks.least),
      Saving(change: .nearer, seconds: lost - time(of: strong), floor: Self.floor(of: weak.map(\.room))),
    ]
    saving = savings.max { $0.seconds < $1.seconds }.flatMap {
      $0.seconds >= seconds * Self.worthwhile ? $0 : nil
    }
  }

  /// The floor of most of these rooms.
  private static func floor(of rooms: [RoomReport]) -> String? {
    let floors = rooms.map(\.planned.floor)
    return floors.max { a, b in floors.count { $0 == a } < floors.count { $0 == b } } ?? nil
  }
}

/// The devices of a run by adapters, and the least time for them.
private struct Work {
  struct Share {
    var devices: Int
    var slots: Int
    /// Whether the adapter held as many links as it could.
    var isFull: Bool
  }

  private var bound: LowerBound
  private var shares: [Share]

  init(_ done: [Timeline.Attempt], _ lanes: [Timeline.AdapterLane]) {
    func mean(_ seconds: (Timeline.Attempt) -> Double) -> Duration {
      .seconds(done.reduce(0) { $0 + seconds($1) } / Double(done.count))
    }
    bound = LowerBound(
      connecting: mean(\.connect.seconds), link: mean { $0.released - $0.connect.end }, slots: 1,
      survey: .seconds(lanes.flatMap(\.attempts).map(\.connect.begin).min() ?? 0),
      proof: .seconds(done.map { $0.over - $0.released }.min() ?? 0))
    shares = lanes.filter { !$0.done.isEmpty }.map {
      Share(devices: $0.done.count, slots: $0.mostLinks, isFull: $0.isFull)
    }
  }

  /// In seconds.
  var least: Double { (bound.survey + (shares.map(time).max() ?? .zero) + bound.proof).inSeconds }

  private func time(of share: Share) -> Duration {
    var bound = bound
    bound.slots = share.slots
    return share.devices > 0 ? bound.work(of: share.devices) : .zero
  }

  var withMoreLinks: Work {
    var work = self
    for index in shares.indices where shares[index].isFull {
      work.shares[index].slots = max(shares[index].slots, RunSpeed.moreLinks)
    }
    return work
  }

  /// The new adapter takes devices of those that need most time, one by one.
  var withAnotherAdapter: Work {
    var work = self
    work.shares.append(Share(devices: 0, slots: shares.map(\.slots).min() ?? 1, isFull: false))
    let added = shares.count
    while let busiest = work.shares.indices.max(by: {
      work.time(of: work.shares[$0]) < work.time(of: work.shares[$1])
    }) {
      var moved = work
      moved.shares[busiest].devices -= 1
      moved.shares[added].devices += 1
      guard busiest != added, moved.time(of: moved.shares[added]) < work.time(of: work.shares[busiest]) else {
        break
      }
      work = moved
    }
    return work
  }
}
