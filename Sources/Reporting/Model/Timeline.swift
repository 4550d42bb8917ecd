import Bluetooth
import Model

/// The work of the adapters over time: scan windows, and attempts in as many lanes as were in flight at once.
struct Timeline: Hashable, Sendable {
  let seconds: Double
  /// Its adapters, in the order of their first use.
  let adapters: [AdapterLane]

  struct AdapterLane: Hashable, Sendable {
    let adapter: AdapterID
    let name: String?
    /// The links that it can hold at once, as known when it was taken into use.
    let slots: Int?
    let windows: [Bar]
    /// Its attempts; none overlaps another one of its lane.
    fileprivate(set) var lanes: [[Attempt]] = []
  }

  /// A time from `begin` to `end`, in seconds since the run began.
  struct Bar: Hashable, Sendable {
    var begin: Double
    var end: Double
    var purpose: ScanPurpose?
    var seconds: Double { end - begin }
  }

  /// An attempt: from its connection's beginning until the link is no longer needed.
  struct Attempt: Hashable, Sendable {
    let room: RoomReport
    let attempt: AttemptReport
    let connect: Bar
    /// The time of the session; nil where it did not connect.
    let session: Bar?
    /// When its link was down.
    let released: Double
    /// When it ended, with its proof.
    let over: Double
    var end: Double { session?.end ?? connect.end }
  }

  init(_ report: RunReport) {
    seconds = max(report.elapsed.inSeconds, 0.001)
    let attempts = report.rooms.flatMap { room in
      room.attemptReports.map { Attempt(room, $0, until: report.elapsed.inSeconds) }
    }
    let used = report.adapterReports.map(\.adapter) + attempts.map(\.attempt.adapter)
    var seen: Set<AdapterID> = []
    var adapters: [AdapterLane] = []
    for adapter in used where seen.insert(adapter).inserted {
      let windows = report.adapterReports.first { $0.adapter == adapter }?.windows ?? []
      var lane = AdapterLane(
        adapter: adapter, name: report.name(of: adapter),
        slots: report.adapters.first { $0.adapter == adapter }?.slots,
        windows: Self.bars(windows, until: seconds))
      for attempt in attempts.filter({ $0.attempt.adapter == adapter }).sorted(by: Self.isEarlier) {
        lane.add(attempt)
      }
      adapters.append(lane)
    }
    self.adapters = adapters
  }

  private static func isEarlier(_ a: Attempt, _ b: Attempt) -> Bool {
    (a.connect.begin, a.room.id) < (b.connect.begin, b.room.id)
  }

  /// A window whose end is not on record lasts until the next one at most.
  private static func bars(_ windows: [ScanWindow], until end: Double) -> [Bar] {
    windows.enumerated().map { index, window in
      let next = index + 1 < windows.count ? windows[index + 1].begin.seconds : end
      let stop = window.end?.seconds ?? next
      return Bar(begin: window.begin.seconds, end: max(stop, window.begin.seconds), purpose: window.purpose)
    }
  }
}

extension Timeline.AdapterLane {
  /// Puts an attempt into the first lane that is free.
  fileprivate mutating func add(_ attempt: Timeline.Attempt) {
    let free = lanes.firstIndex { ($0.last?.end ?? 0) <= attempt.connect.begin }
    if let free { lanes[free].append(attempt) } else { lanes.append([attempt]) }
  }

  var attempts: [Timeline.Attempt] { lanes.flatMap(\.self) }

  /// The attempts that provisioned their devices.
  var done: [Timeline.Attempt] { attempts.filter { $0.room.outcome.isSuccess && $0.isSuccess } }

  /// The seconds in which it scanned; time that two windows have in common counts once.
  func scanned(from begin: Double = 0, to limit: Double = .infinity) -> Double {
    var (seconds, end) = (0.0, begin)
    for window in windows {
      seconds += max(0, min(window.end, limit) - max(window.begin, end))
      end = max(end, window.end)
    }
    return seconds
  }

  /// The most links at once of the successful attempts, those that connect included; at least 1, also if a record has
  /// them without a length.
  var mostLinks: Int {
    Self.overlaps(done.map { .init(begin: $0.connect.begin, end: $0.released) }).reduce(1) {
      max($0, $1.count)
    }
  }

  /// Whether it held as many links as it could.
  var isFull: Bool { slots.map { mostLinks >= $0 } ?? false }

  /// The seconds in which it neither scanned nor could connect, because it had no free link.
  var full: Double {
    guard isFull, let last = attempts.map(\.connect.begin).max() else { return 0 }
    let most = mostLinks
    let links = attempts.filter { $0.session != nil }.map {
      Timeline.Bar(begin: $0.connect.end, end: min(max($0.connect.end, $0.released), last))
    }
    return Self.overlaps(links).filter { $0.count >= most }.reduce(0) {
      $0 + $1.bar.seconds - scanned(from: $1.bar.begin, to: $1.bar.end)
    }
  }

  /// How many of these times overlap, from each begin or end to the next.
  private static func overlaps(_ bars: [Timeline.Bar]) -> [(bar: Timeline.Bar, count: Int)] {
    let edges = (bars.map { ($0.begin, 1) } + bars.map { ($0.end, -1) }).sorted { $0 < $1 }
    var count = 0
    return zip(edges, edges.dropFirst()).map { edge, next in
      count += edge.1
      return (.init(begin: edge.0, end: next.0), count)
    }
  }
}

extension Timeline.Attempt {
  fileprivate var isSuccess: Bool { session != nil && attempt.failure == nil && attempt.seconds != nil }

  /// - Parameter until: The end of the record, for windows and attempts without an end on record.
  fileprivate init(_ room: RoomReport, _ attempt: AttemptReport, until: Double) {
    (self.room, self.attempt) = (room, attempt)
    let begin = attempt.begin.seconds
    let end = attempt.seconds.map { begin + $0 } ?? max(until, begin)
    func over(_ stage: StageReport) -> Double {
      stage.seconds.map { min(stage.begin.seconds + $0, max(end, begin)) } ?? end
    }
    let connecting = attempt.stages.first { $0.stage == .connect }
    connect = .init(begin: begin, end: connecting.map { max(over($0), begin) } ?? end)
    // The proof needs a scan, not a link.
    let last = attempt.stages.last { ![.search, .connect, .verify].contains($0.stage) }
    session = last.map { [connect] in
      .init(begin: connect.end, end: max(over($0), connect.end))
    }
    self.over = max(end, begin)
    let proof = attempt.stages.last { $0.stage == .verify }?.begin.seconds ?? end
    released = min(max(proof, connect.end), self.over)
  }
}
