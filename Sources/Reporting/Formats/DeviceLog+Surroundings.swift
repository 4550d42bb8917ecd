import Bluetooth
import Model

/// The sightings around a room while it was open, for its log; for a room without a sighting, also the
/// possible causes.
struct SurroundingLines {
  let room: RoomReport
  let report: RunReport
  let around: RoomSurroundings

  /// The maximum number of named devices.
  private static let named = 3

  var items: [(title: String, text: String)] {
    guard report.reachedRadio else { return [("Scans", "no adapter scanned in this run")] }
    var items = scans
    if around.isIncomplete {
      items.append(("Record", "events were left out: there may be more windows and sensors than these"))
    }
    items.append(("Others", others))
    if let neighbours { items.append(("Neighbours", neighbours)) }
    items.append(("Unclaimed", unclaimed))
    if isSilent { items += findings }
    return items
  }

  /// Whether the room is not done because its device was not received.
  private var isSilent: Bool {
    guard !room.isExcluded, !room.outcome.isSuccess, room.rssi == nil,
      !(room.address.map(report.hasReceived) ?? false)
    else { return false }
    return switch room.reason?.code {
    case .neverReceived, .adapterDeaf, .noCandidate: true
    // The record ends before its outcome.
    case nil: !room.isFinished
    default: false
    }
  }

  // MARK: The adapters

  private var scans: [(String, String)] {
    let lines = around.scanners.flatMap { scanner -> [String] in
      let name = name(scanner.adapter)
      let times = "\(Decimal.short(scanner.seconds) ?? "?") s"
      let count = scanner.windows.count
      let windows = count.counted("window")
      // The log of a room that is done needs no times.
      let list =
        room.outcome.isSuccess || count == 0 ? "" : ": " + scanner.windows.map(span).joined(separator: ", ")
      return ["\(name) scanned \(times) while the room was open, in \(windows)\(list)"]
        + scanner.faults.map(words)
    }
    return lines.enumerated().map { ($0 == 0 ? "Scans" : "", $1) }
  }

  /// A window in seconds since the run began.
  private func span(_ window: ScanWindow) -> String {
    func text(_ time: ShortDuration) -> String { Decimal.fixed(time.seconds, places: 1) ?? "?" }
    return "\(text(window.begin))–\(window.end.map(text) ?? "?")"
  }

  private func words(_ fault: AdapterFault) -> String {
    let name = name(fault.adapter)
    let text = fault.stackText.map { "; stack error: \($0.visible)" } ?? ""
    return switch fault.fault {
    case .receivesNothing:
      "\(name) scanned and received no device of any make\(fault.wasPowerCycled == true ? ", and was switched off and on" : "")\(text)"
    case .refusesToScan: "the Bluetooth service did not scan with \(name)\(text)"
    case .comesAndGoes: "\(name) disappeared again and again\(text)"
    case .notLocked: "\(name) was not locked: another run might have used it at the same time\(text)"
    case .keepsDevice:
      "the Bluetooth service showed old data of \(fault.address?.description ?? "a device") on \(name)\(text)"
    case .serviceStuck:
      "the Bluetooth service was stuck: it neither scanned with \(name) nor switched it off and on\(text)"
    case .tooManyDevices: "\(name) received more sensors than the limit: the run ignored the others"
    }
  }

  // MARK: The received devices

  private var others: String {
    let count = around.others
    guard count > 0 else { return "no other sensor was received while the room was open" }
    let range =
      around.strength.map { strength in
        let weakest = strength.count > 1 ? " to \(strength.lowerBound)" : ""
        return ", at \(strength.upperBound)\(weakest) dBm when first received"
      } ?? ""
    let first = around.scanners.filter { $0.received > 0 }.map { "\($0.received) by \(name($0.adapter))" }
    return
      "\(count) other \(count == 1 ? "sensor was" : "sensors were") received while the room was open\(range)"
      + (around.scanners.count > 1 ? ", first \(first.joined(separator: ", "))" : "")
  }

  private var neighbours: String? {
    guard !around.neighbours.isEmpty else { return nil }
    let parts = around.neighbours.map { neighbour in
      let silence =
        neighbour.isReceived
        ? "received, RSSI unknown" : neighbour.hasDevice ? "not received" : "has no device"
      let what = neighbour.rssi.map { "\($0) dBm" } ?? silence
      return "\(neighbour.room.planned.name.visible) \(what)"
    }
    return "next to it in the manifest, last RSSI: " + parts.joined(separator: ", ")
  }

  private var unclaimed: String {
    let count = around.strangers.count
    guard around.knowsStrangers else {
      return "not on record: " + (around.isEnded ? "events were left out" : "the run has no end")
    }
    guard count > 0 else { return "none: every received sensor belongs to a room" }
    // A device with a similar address is named, however far away it is.
    let near = Array(around.strangers.prefix(Self.named))
    let alike = around.strangers.dropFirst(Self.named).filter { $0.likeness != nil }.prefix(Self.named)
    let shown = (near + alike).map(words).joined(separator: ", ")
    return "\(count.counted("sensor")) without a room, nearest first: \(shown)"
      + (count > near.count + alike.count ? " …" : "")
  }

  private func words(_ stranger: RoomSurroundings.Stranger) -> String {
    let device = stranger.device
    let likeness = stranger.likeness.map { " (\($0.words))" } ?? ""
    return
      "\(device.address)\(device.rssi.map { " at \($0) dBm" } ?? "") on \(name(device.adapter))\(likeness)"
  }

  private func name(_ adapter: AdapterID) -> String {
    (report.name(of: adapter) ?? adapter.description).visible
  }

  // MARK: The possible causes

  /// The four possible causes, each with the evidence of this run.
  private var findings: [(String, String)] {
    [
      (
        "Silence",
        "this room's sensor was not received in this run. Possible causes, with the evidence on record:"
      ),
      ("", "- adapter receives nothing: \(radio)"), ("", "- too far away: \(distance)"),
      ("", "- wrong address: \(address)"),
      ("", "- sensor broken, off or not in provisioning mode: \(sensor)"),
    ]
  }

  private var radio: String {
    if around.others > 0 {
      return
        "no. \(around.others) other \(around.others == 1 ? "sensor was" : "sensors were") received, so the adapter works"
        + (around.hasFault ? ", apart from the fault above." : ".")
    }
    if around.hasFault { return "likely. An adapter had a fault, see above." }
    let longest = around.scanners.map(\.seconds).max() ?? 0
    if longest < 10 {
      return
        "unknown. No adapter scanned longer than \(Decimal.short(longest) ?? "?") s, which is too short."
    }
    return
      "unlikely. No other sensor was received, but the adapter received devices of other makes."
  }

  private var distance: String {
    let neighbours = around.neighbours.filter(\.hasDevice)
    if let best = around.clearNeighbours.compactMap(\.rssi).max() {
      return
        "unlikely. \(around.clearNeighbours.count) of \(neighbours.count) \(neighbours.count == 1 ? "neighbour was" : "neighbours were") received well, the best at \(best) dBm."
    }
    if neighbours.isEmpty { return "unknown. No room next to it in the manifest has a device." }
    if !neighbours.contains(where: \.isReceived) {
      return neighbours.count == 1
        ? "possible. Its only neighbour was not received either."
        : "possible. None of its \(neighbours.count) neighbours was received either."
    }
    return "possible. No neighbour was received above \(CommonCause.weak) dBm."
  }

  private var address: String {
    guard let own = room.address else { return "no. The manifest has no address for the room." }
    guard around.knowsStrangers else {
      return "unknown. The record ends before the list of sensors without a room."
    }
    if around.others == 0 { return "unknown. No other sensor was received." }
    if let alike = around.strangers.first(where: { $0.likeness != nil }), let likeness = alike.likeness {
      return
        "likely. \(alike.device.address) was received and belongs to no room: it is \(likeness.words), \(own)."
    }
    guard let nearest = around.strangers.first else {
      return "unlikely. Every received sensor belongs to a room."
    }
    let strength = nearest.device.rssi.map { " at \($0) dBm" } ?? ""
    return
      "possible. \(nearest.device.address)\(strength) is the nearest sensor without a room: compare it with the label."
  }

  private var sensor: String {
    if around.others == 0 { return "unknown. No other sensor was received." }
    if !around.clearNeighbours.isEmpty, around.strangers.isEmpty {
      return
        "likely. The adapter works, the neighbours are near, and every received sensor belongs to a room."
    }
    return "possible."
  }
}

extension AddressLikeness {
  /// The likeness, for use after "it is".
  var words: String {
    switch self {
    case .offset(let offset): "\(offset.magnitude) \(offset > 0 ? "above" : "below") this room's address"
    case .digits(let count): "\(count.counted("digit")) different from this room's address"
    }
  }
}

extension RoomReport {
  /// The timeouts that ended stages of its attempts. A first attempt may have a shorter one.
  var timeouts: [String] {
    attemptReports.flatMap { attempt in
      attempt.stages.compactMap { stage in
        switch stage.failure {
        case .connectTimedOut?, .stageTimedOut?:
          let what = stage.setting.map { " of \(titles.title($0))" } ?? ""
          let after = stage.seconds.map { ", ended after \(Decimal.fixed($0, places: 3) ?? "?") s" } ?? ""
          return
            "\(attempt.name): \(stage.stage.rawValue)\(what) had \(stage.timeout.asSeconds)\(after)"
        default: return nil
        }
      }
    }
  }

  /// The error messages of the Bluetooth stack about its failed attempts, verbatim; about its outcome if
  /// there are none.
  var stackTexts: [String] {
    let attempts = attemptReports.compactMap { attempt in
      let stackText =
        attempt.failure?.stackText ?? attempt.stages.lazy.compactMap { $0.failure?.stackText }.first
      return stackText.map { "\(attempt.name): \($0.visible)" }
    }
    return attempts.isEmpty ? [reason?.stackText?.visible].compactMap(\.self) : attempts
  }
}
