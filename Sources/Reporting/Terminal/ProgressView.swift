import Bluetooth
public import Model

/// A run as it goes on, for the person at the terminal: state in, lines out. Who draws them, and when, is
/// the command line's.
///
/// For a terminal: `finished(_:style:)` gives the lines that scroll away for good, `live(at:style:)` those
/// that are drawn over and over below them. For anything else: `plain(_:)`, a line for each turn of events.
public struct ProgressView: Sendable {
  /// The run so far.
  public private(set) var report = RunReport()

  private var doing: [RoomID: Activity] = [:]
  private var waiting: AdapterAwaited?
  private var listening: Listening?
  private var longestName = 0
  /// The rooms that ended because the run as a whole did.
  private var endedWithRun: Set<RoomID> = []

  /// What is being done for a room right now.
  private struct Activity {
    var text: String
    var since: Duration
    /// Whether nothing is done but wait for its next attempt, which may be long in coming.
    var isPause = false
  }

  /// A view of nothing yet.
  public init() {}

  /// Takes in the next event.
  public mutating func apply(_ event: RunEvent) {
    report.apply(event)
    func activity(_ text: String) -> Activity { Activity(text: text, since: event.elapsed) }
    switch event.fact {
    case .adapterAwaited(let fact): waiting = fact
    case .adapterSelected: waiting = nil
    case .listeningStarted(let fact): listening = fact
    case .listeningStopped: listening = nil
    case .attemptStarted(let fact): doing[fact.room] = activity("connecting")
    case .stageStarted(let fact): doing[fact.room] = activity(fact.stage.activity(fact.setting))
    case .retryScheduled(let fact):
      doing[fact.room] = Activity(
        text: "trying again in \(fact.delay.asSeconds)", since: event.elapsed, isPause: true)
    case .attemptEnded(let fact): doing[fact.room] = nil
    case .roomFinished(let fact):
      doing[fact.room] = nil
      if isToldOnce(fact) { endedWithRun.insert(fact.room) }
    case .runInterrupted: waiting = nil
    case .runFinished:
      doing = [:]
      waiting = nil
      listening = nil
    case .runStarted: longestName = report.rooms.map(\.planned.name.visible.columns).max() ?? 0
    case .adapterFaulted, .foreignScanDetected, .linkReleased, .deviceSighted, .bindingCommitted,
      .bindingReleased, .roomRetired,
      .roomAccepted, .roomVerified,
      .canariesJudged, .deviceUnclaimed, .hostPaused, .stageEnded, .statusReceived, .settingsRead,
      .elapsedSent, .settingWritten,
      .saveSubmitted, .linkEnded, .proofHeard:
      break
    }
  }

  /// The lines that an event leaves behind for good; to be asked for after `apply`. Mostly none.
  public func finished(_ event: RunEvent, style: TerminalStyle) -> [String] {
    switch event.fact {
    case .roomFinished(let fact):
      isToldOnce(fact) ? [] : report[fact.room].map { [line(of: $0, style)] } ?? []
    case .runFinished:
      toldOnce.map { style.paint("\($0.sign) \($0.text)".truncated(to: style.width), $0.tone) }
    case .adapterSelected(let fact):
      [style.paint("Using \(fact.title.visible)".truncated(to: style.width), .dim)]
    case .runInterrupted(let fact):
      [style.paint("Stopping: \(fact.cause.words)".truncated(to: style.width), .yellow)]
    case .canariesJudged:
      [style.paint(EventWords(event.fact) { _ in "" }.text.uppercasedFirst.truncated(to: style.width), .bold)]
    case .adapterFaulted:
      [
        style.paint(
          EventWords(event.fact, name: adapterName).text.uppercasedFirst.truncated(to: style.width), .yellow)
      ]
    case .foreignScanDetected(let fact):
      words(fact).wrapped(to: style.width).map { style.paint($0, .yellow) }
    case .hostPaused(let fact):
      [style.paint("This computer: \(fact.words)".truncated(to: style.width), .yellow)]
    default:
      []
    }
  }

  /// The lines to draw now, at most two, none wider than the terminal. None when the run is over.
  /// - Parameter elapsed: Time since the run began.
  public func live(at elapsed: Duration, style: TerminalStyle) -> [String] {
    guard report.run != nil, report.outcome == nil else { return [] }
    return [
      current(at: elapsed, style).truncated(to: style.width),
      totals(at: elapsed, style).truncated(to: style.width),
    ]
  }

  /// The lines that an event is worth where nothing can be drawn over, mostly one or none; to be asked for after
  /// `apply`.
  public func plain(_ event: RunEvent) -> [String] {
    let texts =
      if case .runFinished = event.fact {
        toldOnce.map { "\($0.sign) \($0.text)" }
      } else {
        [plainText(event.fact)].compactMap(\.self)
      }
    return texts.map { "[\(Self.clock(event.elapsed))] \($0)" }
  }
}

extension ProgressView {
  /// Whether a room ended because the run as a whole did, which has been said: such rooms are counted when it is over.
  private func isToldOnce(_ fact: RoomFinished) -> Bool {
    report.interruption != nil && fact.reason?.isOfHost == true
  }

  /// The rooms that ended with the run as a whole, by outcome.
  private var toldOnce: [(sign: String, text: String, tone: TerminalStyle.Tone)] {
    guard report.interruption != nil else { return [] }
    return Outcome.allCases.compactMap { outcome in
      let count = report.rooms.count { $0.outcome == outcome && endedWithRun.contains($0.id) }
      guard count > 0 else { return nil }
      return (outcome.symbol, "\(count) \(count == 1 ? "room" : "rooms"): \(outcome.words)", outcome.tone)
    }
  }
}

extension ProgressView {
  /// A finished room: sign, name, outcome; what else fits.
  private func line(of room: RoomReport, _ style: TerminalStyle) -> String {
    let outcome = room.outcome
    let name = room.planned.name.visible
    let sign = style.paint(outcome.symbol, outcome.tone)
    let rest = style.width - 2
    if rest < 38 { return sign + " " + "\(name): \(room.outcomeWords)".truncated(to: rest) }
    // Names line up as far as they are not longer than a third of the line.
    let column = min(rest / 3, longestName)
    let left = name.fitted(to: column)
    if let explanation = Explanation(of: room) {
      // Which device it was stands in the summary; here the line is short.
      let address = room.address.map { " \($0)" } ?? ""
      let sentence =
        address.isEmpty ? explanation.sentence : explanation.sentence.replacing(address, with: "")
      let text = "\(outcome.words): \(sentence)".truncated(to: rest - column - 2)
      return "\(sign) \(left)  \(style.paint(text, outcome.tone))"
    }
    var right = room.outcomeWords
    if rest >= 68 {
      right = right.fitted(to: 23) + "  " + (room.address?.description ?? "")
      if rest >= 88, let rssi = room.rssi { right += "  \(rssi) dBm" }
    }
    if room.attempts > 0 { right += "  " + room.seconds.asSeconds }
    return "\(sign) \(left)  \(right.truncated(to: rest - column - 2))"
  }

  /// What is being done.
  private func current(at elapsed: Duration, _ style: TerminalStyle) -> String {
    if let waiting { return EventWords(.adapterAwaited(waiting)) { _ in "" }.text.uppercasedFirst }
    let rooms = report.rooms.filter { doing[$0.id] != nil }
    let busy = rooms.filter { doing[$0.id]?.isPause == false }
    guard let first = busy.first ?? rooms.first, let activity = doing[first.id] else {
      return listening == nil ? "Working" : listeningFor(style)
    }
    let time = max(0, (elapsed - activity.since).inSeconds).rounded(.down).asSeconds
    var parts = [activity.text]
    if style.width >= 40 { parts.append(time) }
    if style.width >= 60, first.attempts > 1 { parts.append("attempt \(first.attempts)") }
    if busy.count > 1 { parts.append("and \(busy.count - 1) more") }
    let tail = " · " + parts.joined(separator: " · ")
    // The name gives way first, for what is done matters more.
    let name = first.planned.name.visible.truncated(to: max(6, style.width - tail.columns))
    return name + tail
  }

  /// Whom adapters listen for when nothing else is done: once somebody has been tried, those who are left.
  private func listeningFor(_ style: TerminalStyle) -> String {
    let left = report.selected.filter { !$0.isFinished }
    guard let first = left.first,
      left.count < report.selected.count || left.contains(where: { $0.attempts > 0 })
    else { return "Listening for devices" }
    let more = left.count > 1 ? " and \(left.count - 1) more" : ""
    let opening = "Listening for "
    let room = max(6, style.width - opening.columns - more.columns)
    return opening + first.planned.name.visible.truncated(to: room) + more
  }

  /// How far the run is.
  private func totals(at elapsed: Duration, _ style: TerminalStyle) -> String {
    let (done, total) = (report.finishedRooms, report.selected.count)
    var text = "\(done)/\(total)"
    if style.width >= 30 { text += " rooms" }
    if style.width >= 60 {
      let cells = 20
      let filled = total == 0 ? 0 : done * cells / total
      text =
        "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled) + "] "
        + text
    }
    text += " · " + Self.clock(elapsed)
    if style.width >= 40 {
      let finished = report.rooms.filter(\.isFinished)
      let good = finished.count(where: \.outcome.isSuccess)
      if good > 0 { text += " · \(good) done" }
      for outcome in Outcome.allCases where !outcome.isSuccess {
        let count = finished.count { $0.outcome == outcome }
        if count > 0 { text += " · \(count) \(outcome.words)" }
      }
    }
    return text
  }

  /// What the host calls an adapter.
  private func adapterName(_ adapter: AdapterID) -> String {
    report.adapters.first { $0.adapter == adapter }?.name.visible ?? "\(adapter)"
  }

  private func plainText(_ fact: Fact) -> String? {
    switch fact {
    case .runStarted(let fact):
      "\(fact.buildingName.visible): \(report.selected.count) rooms\(fact.simulated ? ", simulated" : "")"
    case .adapterAwaited: EventWords(fact) { _ in "" }.text
    case .adapterFaulted: EventWords(fact, name: adapterName).text
    case .adapterSelected, .linkReleased, .canariesJudged: EventWords(fact) { _ in "" }.text
    case .foreignScanDetected(let fact): words(fact)
    case .listeningStarted(let fact): fact.purpose == .survey ? "listening for devices" : nil
    case .attemptStarted(let fact): "\(name(fact.room)): attempt \(fact.number) at \(fact.address)"
    case .attemptEnded(let fact):
      fact.failure.map { "\(name(fact.room)): attempt \(fact.number) failed, \($0.code.rawValue)" }
    case .retryScheduled(let fact): "\(name(fact.room)): trying again in \(fact.delay.asSeconds)"
    case .roomFinished(let fact) where isToldOnce(fact): nil
    case .roomFinished(let fact):
      "\(fact.outcome.symbol) \(name(fact.room)): \(report[fact.room]?.outcomeWords ?? fact.outcome.words)"
        + (report[fact.room].flatMap(Explanation.init(of:)).map { ". " + $0.sentence } ?? "")
        + " (\(report.finishedRooms)/\(report.selected.count))"
    case .runInterrupted(let fact): "stopping: \(fact.cause.words)"
    case .hostPaused(let fact): "this computer: \(fact.words)"
    case .runFinished, .listeningStopped, .deviceSighted, .bindingCommitted, .bindingReleased, .roomRetired,
      .roomAccepted, .roomVerified, .deviceUnclaimed, .stageStarted, .stageEnded,
      .statusReceived, .settingsRead, .elapsedSent, .settingWritten, .saveSubmitted, .linkEnded, .proofHeard:
      nil
    }
  }

  private func words(_ fact: ForeignScanDetected) -> String {
    "\(fact.sentence(adapter: adapterName(fact.adapter))) \(fact.advice)"
  }

  private func name(_ room: RoomID) -> String { (report[room]?.planned.name ?? room.rawValue).visible }

  /// `m:ss`, from an hour on `h:mm:ss`.
  static func clock(_ elapsed: Duration) -> String {
    let whole = max(0, elapsed.inMicroseconds / 1_000_000)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds))" : "\(minutes):\(two(seconds))"
  }
}
