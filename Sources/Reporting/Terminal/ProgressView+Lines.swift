import Bluetooth
package import Model

/// The lines that stay after an event.
extension ProgressView {
  /// The events that get a line.
  package enum Detail: Hashable, Sendable {
    /// Only failures and operator actions.
    case quiet
    /// Each step of a room.
    case normal
    /// Each event.
    case verbose
  }

  /// The lines above the panel on a terminal, after `apply`. Most events have none.
  package func finished(_ event: RunEvent, style: TerminalStyle) -> [String] {
    switch event.fact {
    case .roomFinished(let fact):
      return isWrittenOnce(fact) ? [] : report[fact.room].map { [line(of: $0, style)] } ?? []
    case .runFinished:
      return writtenOnce.map { style.paint("\($0.sign) \($0.text)".truncated(to: style.width), $0.tone) }
    case .adapterSelected(let fact):
      return [style.paint("Using \(fact.title.visible)".truncated(to: style.width), .dim)]
    case .runInterrupted(let fact) where fact.cause != .signal:
      return [style.paint("Stopping: \(fact.cause.words)".truncated(to: style.width), .yellow)]
    case .operatorRequested(let fact) where fact.request != .stop:
      return [style.paint(fact.words.uppercasedFirst.truncated(to: style.width), .dim)]
    case .operatorAwaited(let fact):
      guard let room = report[fact.room], let words = Explanation(of: room) else { return [] }
      let text = "\(name(fact.room)): \(words.sentence) \(words.advice)"
      return text.wrapped(to: style.width - 2).enumerated().map { index, line in
        style.paint((index == 0 ? "! " : "  ") + line, .yellow)
      }
    case .canariesJudged:
      return [
        style.paint(
          EventWords(event.fact, report.titles) { _ in "" }.text.uppercasedFirst.truncated(to: style.width),
          .bold)
      ]
    case .adapterFaulted, .eventsOmitted:
      return [
        style.paint(
          EventWords(event.fact, report.titles, name: adapterName).text.uppercasedFirst.truncated(
            to: style.width), .yellow)
      ]
    case .hostUnavailable(let fact):
      return fact.sentence.wrapped(to: style.width).map { style.paint($0, .yellow) }
    case .foreignScanDetected(let fact):
      return words(fact).wrapped(to: style.width).map { style.paint($0, .yellow) }
    case .hostPaused(let fact) where isNews(fact):
      return [style.paint("This computer: \(fact.words)".truncated(to: style.width), .yellow)]
    default:
      return []
    }
  }

  /// The lines for a file or a pipe, with the time since the run began, after `apply`.
  package func plain(_ event: RunEvent, detail: Detail = .normal) -> [String] {
    let texts: [String] =
      switch event.fact {
      case .runFinished: writtenOnce.map { "\($0.sign) \($0.text)" }
      default: [plainText(event.fact, detail)].compactMap(\.self)
      }
    return texts.map { "[\(Self.clock(event.elapsed))] \($0)" }
  }

  /// A busy host is on record every ten seconds, and written once.
  private func isNews(_ fact: HostPause) -> Bool {
    fact.kind != .busy || report.secondsOfBusyHost <= fact.seconds
  }

  /// Every event as a line, as in the device logs.
  package func verbose(_ event: RunEvent) -> [String] {
    let words = EventWords(event.fact, report.titles, name: adapterName)
    let room = event.fact.room.map { name($0) + ": " } ?? ""
    return ["[\(Self.clock(event.elapsed))] \(room)\(words.topic): \(words.text)"]
      + words.quotes.map { "    " + $0.visible }
  }

  /// A finished room: symbol, name, outcome, and details that fit.
  private func line(of room: RoomReport, _ style: TerminalStyle) -> String {
    let outcome = room.outcome
    let name = room.planned.name.visible
    let sign = style.paint(outcome.symbol, outcome.tone)
    let rest = style.width - 2
    let explanation = Explanation(general: room)
    if rest < 38 {
      let words = explanation?.sentence ?? room.outcomeWords
      return sign + " " + "\(name): \(words)".truncated(to: rest)
    }
    // Names are aligned, in at most a third of the line.
    let column = min(rest / 3, longestName)
    let left = name.fitted(to: column)
    if let explanation {
      let text = "\(outcome.words): \(explanation.sentence)".truncated(to: rest - column - 2)
      return "\(sign) \(left)  \(style.paint(text, outcome.tone))"
    }
    var right = room.outcomeWords
    if rest >= 68 {
      right = right.fitted(to: 23) + "  " + (room.address?.description ?? "")
      if rest >= 88, let rssi = room.rssi { right += "  \(rssi) dBm" }
    }
    if room.wasTried { right += "  " + room.seconds.asSeconds }
    return "\(sign) \(left)  \(right.truncated(to: rest - column - 2))"
  }

  private func plainText(_ fact: Fact, _ detail: Detail) -> String? {
    switch fact {
    case .adapterAwaited: return EventWords(fact, report.titles) { _ in "" }.text
    case .adapterFaulted, .eventsOmitted: return EventWords(fact, report.titles, name: adapterName).text
    case .hostUnavailable(let fact): return fact.sentence
    case .foreignScanDetected(let fact): return words(fact)
    case .operatorAwaited(let fact):
      let words = report[fact.room].flatMap { Explanation(of: $0) }
      return "! \(name(fact.room)): \(words.map { "\($0.sentence) \($0.advice)" } ?? fact.reason.code.words)"
    case .roomFinished(let fact) where isWrittenOnce(fact): return nil
    case .roomFinished(let fact):
      if detail == .quiet, fact.outcome.kind == .done { return nil }
      return
        "\(fact.outcome.symbol) \(name(fact.room)): \(report[fact.room]?.outcomeWords ?? fact.outcome.words)"
        + (report[fact.room].flatMap { Explanation(of: $0) }.map { ". " + $0.sentence } ?? "")
        + " (\(tally.ended)/\(tally.total))"
    case .runInterrupted(let fact): return fact.cause == .signal ? nil : "stopping: \(fact.cause.words)"
    case .hostPaused(let fact): return isNews(fact) ? "this computer: \(fact.words)" : nil
    default: break
    }
    guard detail != .quiet else { return nil }
    switch fact {
    case .runStarted(let fact):
      return "\(fact.buildingName.visible): \(tally.total.rooms)\(fact.simulated ? ", simulated" : "")"
    case .operatorRequested(let fact): return fact.request == .stop ? nil : fact.words
    case .adapterSelected, .linkReleased, .canariesJudged:
      return EventWords(fact, report.titles) { _ in "" }.text
    case .scanStarted(let fact): return fact.purpose == .survey ? "scanning for devices" : nil
    case .attemptStarted(let fact):
      return "\(name(fact.room)): attempt \(fact.number), \(fact.address) on \(adapterName(fact.adapter))"
    case .attemptEnded(let fact):
      return fact.failure.map {
        "\(name(fact.room)): attempt \(fact.number) \(AttemptExemption.clause(fact.notCounted, $0))"
      }
    case .retryScheduled(let fact):
      return
        "\(name(fact.room)): next attempt \(fact.delay == 0 ? "when it is received" : "in \(fact.delay.asSeconds)")"
    default: return nil
    }
  }

  private func words(_ fact: ForeignScanDetected) -> String {
    "\(fact.sentence(adapter: adapterName(fact.adapter))) \(fact.advice)"
  }
}
