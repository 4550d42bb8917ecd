import Journal
import Model
import Reporting

/// How long provisioning will take: by the pace that it had here before, or else in the radio lab.
struct TimeEstimate {
  /// Seconds a device, one after the other over one adapter, from the radio lab (docs/bluez.md: 13.7 devices a minute).
  static let unmeasured = 4.4

  /// Seconds from one device to the next.
  let seconds: Double
  /// How many devices on record it rests on; 0 for none.
  let measured: Int

  /// The median of the paces of the runs on record, several devices at once or one after the other as it came.
  init(_ archive: BuildingArchive) {
    let runs = archive.runs.compactMap { Pace($0.record.events) }
    let paces = runs.map(\.seconds).sorted()
    measured = runs.reduce(0) { $0 + $1.devices }
    seconds = paces.isEmpty ? Self.unmeasured : paces[paces.count / 2]
  }

  /// How fast a run was.
  private struct Pace {
    var devices: Int
    var seconds: Double

    /// From its first attempt to its last success; nil of a run without any.
    init?(_ events: [RunEvent]) {
      let first = events.first { if case .attemptStarted = $0.fact { true } else { false } }
      let successes = events.filter {
        if case .attemptEnded(let fact) = $0.fact { fact.failure == nil } else { false }
      }
      guard let first, let last = successes.last else { return nil }
      devices = successes.count
      seconds = (last.elapsed - first.elapsed).inSeconds / Double(successes.count)
    }
  }

  /// What to expect of a plan, as a sentence.
  func words(for plan: ApplyPlan) -> String {
    let count = plan.rooms.count { $0.action == .provision }
    guard count > 0 else { return "Nothing would be written." }
    let total = Double(count) * seconds
    let time = total < 90 ? "\(Int(total.rounded(.up))) s" : "\(Int((total / 60).rounded(.up))) min"
    let each = (seconds * 10).rounded() / 10
    return measured > 0
      ? "About \(time) (\(each) s a device, as here before)."
      : "At most about \(time) (\(each) s a device, as measured in the lab one after the other; several at once take less)."
  }
}
