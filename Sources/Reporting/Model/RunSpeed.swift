import Bluetooth
import Model

/// What a run took, and the least that its adapters needed for the same sessions (docs/internals/radio-model.md).
package struct RunSpeed: Hashable, Sendable {
  /// The number of devices that were provisioned.
  let devices: Int
  /// The names of the adapters that provisioned them.
  let adapters: [String]
  /// The length of the run, in seconds.
  let seconds: Double
  /// The least time, in seconds; at most `seconds`.
  let least: Double

  /// With fewer devices, a single one decides the figures.
  private static let fewestDevices = 5

  /// Nil for a run that did not end by itself, that waited for something other than the radio, or with too few devices.
  init?(_ report: RunReport) {
    let sessions = report.rooms.filter(\.outcome.isSuccess).flatMap {
      $0.attemptReports.compactMap(Session.init)
    }
    let begin = report.rooms.flatMap { $0.attemptReports.map(\.begin) }.min()
    guard report.outcome == .complete || report.outcome == .incomplete, !report.hasWaited,
      sessions.count >= Self.fewestDevices, report.elapsed > .zero, let begin
    else { return nil }
    func mean(_ seconds: (Session) -> Double) -> Duration {
      .seconds(sessions.reduce(0) { $0 + seconds($1) } / Double(sessions.count))
    }
    let shares = Dictionary(grouping: sessions, by: \.adapter)
    let bound = LowerBound(
      connecting: mean { $0.connected - $0.begin }, link: mean { $0.released - $0.connected },
      slots: shares.values.map(Session.mostLinks).max() ?? 1, survey: .seconds(begin.seconds),
      proof: .seconds(sessions.map { $0.end - $0.released }.min() ?? 0))
    (devices, seconds) = (sessions.count, report.elapsed.inSeconds)
    adapters = shares.keys.sorted().map { report.name(of: $0) ?? $0.description }
    least = min(seconds, bound.makespan(of: devices, on: shares.count).inSeconds)
  }

  /// `12 devices in 19.2 s on hci0; the radio needs at least 12.1 s for the same sessions.`
  package var sentence: String {
    let place =
      adapters.count > 2 ? "\(adapters.count) adapters" : adapters.joined(separator: " and ").visible
    return
      "\(devices) devices in \(seconds.asSeconds) on \(place); the radio needs at least \(least.asSeconds) for the same sessions."
  }
}

/// An attempt that provisioned its device; times in seconds since the run began.
private struct Session {
  let adapter: AdapterID
  let begin: Double
  let connected: Double
  /// When the link was down: the proof needs a scan, not a link.
  let released: Double
  let end: Double

  /// Nil for an attempt that failed, or has no end or no connection on record.
  init?(_ attempt: AttemptReport) {
    guard attempt.failure == nil, let seconds = attempt.seconds,
      let connecting = attempt.stages.first(where: { $0.stage == .connect }),
      let connect = connecting.seconds
    else { return nil }
    adapter = attempt.adapter
    begin = attempt.begin.seconds
    end = begin + seconds
    connected = min(connecting.begin.seconds + connect, end)
    let proof = attempt.stages.last { $0.stage == .verify }?.begin.seconds ?? end
    released = min(max(proof, connected), end)
  }

  /// The most links at once, those that connect included.
  static func mostLinks(_ sessions: [Session]) -> Int {
    let edges = (sessions.map { ($0.begin, 1) } + sessions.map { ($0.released, -1) }).sorted { $0 < $1 }
    var (links, most) = (0, 1)
    for edge in edges {
      links += edge.1
      most = max(most, links)
    }
    return most
  }
}
