import Bluetooth
import Model

/// What surrounded a room while it was open, as its log has it; for one that was never heard, what that speaks for.
struct SurroundingLines {
  let room: RoomReport
  let report: RunReport
  let around: RoomSurroundings

  /// More than these are counted, and not named.
  private static let named = 3

  /// Titles and texts.
  var items: [(title: String, text: String)] {
    guard report.reachedRadio else { return [("Scans", "no adapter scanned in this run")] }
    var items = scans + [("Others", others)]
    if let neighbours { items.append(("Neighbours", neighbours)) }
    items.append(("Unclaimed", unclaimed))
    if isSilent { items += findings }
    return items
  }

  /// Whether the room is not done because nothing at all was heard of its device.
  private var isSilent: Bool {
    guard !room.isExcluded, !room.outcome.isSuccess, room.rssi == nil,
      !(room.address.map(report.hasHeard) ?? false)
    else { return false }
    return switch room.reason?.code {
    case .neverHeard, .adapterDeaf, .noCandidate: true
    // The record ends before its outcome.
    case nil: !room.isFinished
    default: false
    }
  }

  // MARK: What the adapters did

  private var scans: [(String, String)] {
    let lines = around.scanners.flatMap { scanner -> [String] in
      let name = name(scanner.adapter)
      let times = "\(Decimal.short(scanner.seconds) ?? "?") s"
      let count = scanner.windows.count
      let windows = "\(count) \(count == 1 ? "window" : "windows")"
      // Of a room that is done nobody asks when.
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
    let text = fault.stackText.map { "; the stack said: \($0.visible)" } ?? ""
    return switch fault.fault {
    case .hearsNothing:
      "\(name) reported no device of any make in 10 s of scanning\(fault.wasPowerCycled == true ? ", and was switched off and on" : "")\(text)"
    case .refusesToScan: "the stack refused to scan with \(name)\(text)"
    case .tooManyDevices: "\(name) heard more sensors than are kept: further ones were ignored"
    }
  }

  // MARK: What they heard

  private var others: String {
    let count = around.others
    guard count > 0 else { return "no other sensor was heard while the room was open" }
    let range =
      around.strength.map { strength in
        let weakest = strength.count > 1 ? " to \(strength.lowerBound)" : ""
        return ", at \(strength.upperBound)\(weakest) dBm when first heard"
      } ?? ""
    let first = around.scanners.filter { $0.heard > 0 }.map { "\($0.heard) by \(name($0.adapter))" }
    return
      "\(count) other \(count == 1 ? "sensor was" : "sensors were") heard while the room was open\(range)"
      + (around.scanners.count > 1 ? ", first \(first.joined(separator: ", "))" : "")
  }

  private var neighbours: String? {
    guard !around.neighbours.isEmpty else { return nil }
    let parts = around.neighbours.map { neighbour in
      let silence =
        neighbour.isHeard ? "heard, RSSI unknown" : neighbour.hasDevice ? "not heard" : "has no device"
      let what = neighbour.rssi.map { "\($0) dBm" } ?? silence
      return "\(neighbour.room.planned.name.visible) \(what)"
    }
    return "beside it in the manifest, as last heard: " + parts.joined(separator: ", ")
  }

  private var unclaimed: String {
    let count = around.strangers.count
    guard around.knowsStrangers else { return "not on record: the run has no end" }
    guard count > 0 else { return "no sensor was heard that no room claims" }
    // One whose address is like the room's is named, however far it is.
    let near = Array(around.strangers.prefix(Self.named))
    let alike = around.strangers.dropFirst(Self.named).filter { $0.likeness != nil }.prefix(Self.named)
    let shown = (near + alike).map(words).joined(separator: ", ")
    return "\(count) \(count == 1 ? "sensor" : "sensors") that no room claims, nearest first: \(shown)"
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

  // MARK: What that speaks for

  /// The four reasons for silence, each with what speaks for or against it in this run.
  private var findings: [(String, String)] {
    [
      (
        "Silence",
        "nothing was heard of this room's sensor in this run. What the record says of each possible reason:"
      ),
      ("", "- radio deaf: \(radio)"), ("", "- too far away: \(distance)"),
      ("", "- wrong address: \(address)"),
      ("", "- sensor dead, off or not in provisioning mode: \(sensor)"),
    ]
  }

  private var radio: String {
    if around.others > 0 {
      return
        "no. \(around.others) other \(around.others == 1 ? "sensor was" : "sensors were") heard, so the radio works"
        + (around.hasFault ? "; but see the adapter's fault above." : ".")
    }
    if around.hasFault { return "likely. An adapter was found at fault, see above." }
    let longest = around.scanners.map(\.seconds).max() ?? 0
    if longest < 10 {
      return
        "open. No adapter scanned longer than \(Decimal.short(longest) ?? "?") s, which is too short to tell."
    }
    return
      "not shown. No other sensor was heard; but an adapter that reports no device of any make in 10 s of scanning is reported, and none was."
  }

  private var distance: String {
    let neighbours = around.neighbours.filter(\.hasDevice)
    if let best = around.clearNeighbours.compactMap(\.rssi).max() {
      return
        "nothing speaks for it. \(around.clearNeighbours.count) of \(neighbours.count) neighbours were heard clearly, the best at \(best) dBm."
    }
    if neighbours.isEmpty { return "open. No room beside it in the manifest has a device." }
    if !neighbours.contains(where: \.isHeard) {
      return "possible. None of the \(neighbours.count) neighbours was heard either."
    }
    return "possible. Of the neighbours, none was heard above \(CommonCause.weak) dBm."
  }

  private var address: String {
    guard let own = room.address else { return "no. The manifest gives the room none." }
    guard around.knowsStrangers else {
      return "open. The record ends before it says which sensors no room claims."
    }
    if around.others == 0 { return "open. Nothing else was heard to compare with." }
    if let alike = around.strangers.first(where: { $0.likeness != nil }), let likeness = alike.likeness {
      return
        "likely. \(alike.device.address) was heard and no room claims it: it is \(likeness.words), \(own)."
    }
    guard let nearest = around.strangers.first else {
      return "nothing speaks for it. No sensor was heard that no room claims."
    }
    let strength = nearest.device.rssi.map { " at \($0) dBm" } ?? ""
    return
      "possible. \(nearest.device.address)\(strength) is the nearest that no room claims; compare it with the label."
  }

  private var sensor: String {
    if around.others == 0 { return "open. Nothing else was heard to compare with." }
    if !around.clearNeighbours.isEmpty, around.strangers.isEmpty {
      return "likely. The radio works, the neighbours are near, and no sensor is left over."
    }
    return "possible."
  }
}

extension AddressLikeness {
  /// How it is like the room's, before that or after "it is".
  var words: String {
    switch self {
    case .offset(let offset): "\(abs(offset)) \(offset > 0 ? "above" : "below") this room's address"
    case .digits(let count): "\(count) \(count == 1 ? "digit" : "digits") different from this room's address"
    }
  }
}

extension RoomReport {
  /// The timeouts that ended stages of its attempts, as they applied: a first attempt may have been given less time.
  var timeouts: [String] {
    attemptReports.flatMap { attempt in
      attempt.stages.compactMap { stage in
        switch stage.failure {
        case .connectTimedOut?, .stageTimedOut?:
          let what = stage.setting.map { " of \($0.rawValue.visible)" } ?? ""
          let after = stage.seconds.map { ", ended after \(Decimal.fixed($0, places: 3) ?? "?") s" } ?? ""
          return
            "attempt \(attempt.number): \(stage.stage.rawValue)\(what) was given \(stage.timeout.asSeconds)\(after)"
        default: return nil
        }
      }
    }
  }

  /// What the Bluetooth stack said of its failed attempts, verbatim; of its outcome, where no attempt failed so.
  var stackTexts: [String] {
    let attempts = attemptReports.compactMap { attempt in
      let said = attempt.failure?.stackText ?? attempt.stages.lazy.compactMap { $0.failure?.stackText }.first
      return said.map { "attempt \(attempt.number): \($0.visible)" }
    }
    return attempts.isEmpty ? [reason?.stackText?.visible].compactMap(\.self) : attempts
  }
}
