import Bluetooth
import FoundationEssentials
import Model

extension BuildingPage {
  /// A room's history: its settings, its acceptance or retirement, and each run that worked on it.
  func history(_ room: BuildingRoom) -> Markup {
    proof(room) + details(room) + settings(room) + acceptances(room) + retirement(room) + runs(room)
  }

  /// The proof, unless the entry of its run says the same; the row has its time.
  private func proof(_ room: BuildingRoom) -> Markup {
    guard let evidence = room.evidence else { return "" }
    if room.runs.contains(where: { $0.recorded.run == room.seen?.run && $0.room.evidence == evidence }) {
      return ""
    }
    let seen: Markup? = room.seen.map { ", \(time($0.at)) in \(link(run: $0.run))" }
    return "<p>Proved: \(evidence.plainSentence)\(seen).</p>"
  }

  private func details(_ room: BuildingRoom) -> Markup {
    guard !room.details.isEmpty else { return "" }
    let items = room.details.map { "\($0.name.words) <bdi>\($0.value)</bdi>" as Markup }
    return "<p>Reported by the device: \(items.joined(separator: ", ")).</p>"
  }

  // MARK: Settings

  /// Consecutive settings with the same state that were recorded together share one item. The row has the time of those
  /// that were recorded with the evidence.
  private func settings(_ room: BuildingRoom) -> Markup {
    let titles = SettingTitles(room.family.map { [$0] } ?? [])
    let groups = room.settings.chunked { $0.result.state == $1.result.state && $0.recorded == $1.recorded }
    let items = groups.map { alike -> Markup in
      let values = alike.map { setting -> Markup in
        "\(titles.title(setting.result.name)) \(setting.result.value.map { "<bdi>\($0)</bdi>" } ?? "<i>secret, not recorded</i>")"
      }
      return """
        <li><b>\(alike[0].result.state.words)</b> (\(place(alike[0].recorded, room))): \(values.joined(separator: ", "))
        """
    }
    return items.isEmpty ? "" : "<ul class=\"settings\">\(items.joined())</ul>"
  }

  private func place(_ recorded: RecordedAt?, _ room: BuildingRoom) -> Markup {
    guard let recorded else { return "not on record" }
    let time: Markup? = recorded == room.seen ? nil : "\(time(recorded.at)), "
    return "\(time)\(link(run: recorded.run))"
  }

  // MARK: People's decisions

  private func acceptances(_ room: BuildingRoom) -> Markup {
    room.acceptances.map { acceptance -> Markup in
      let end: Markup =
        acceptance.ended.map { "ended \(time($0.at)) with \(link(run: $0.run))" } ?? "<b>still valid</b>"
      return """
        <p>✎ Accepted as it is by <bdi>\(acceptance.by)</bdi>, \(time(acceptance.given.at)) \
        (\(link(run: acceptance.given.run))): “<bdi>\(acceptance.reason)</bdi>”; \(end).</p>
        """
    }.joined()
  }

  private func retirement(_ room: BuildingRoom) -> Markup {
    guard let retirement = room.retirement else { return "" }
    let reason: Markup? = retirement.reason.map { ": “<bdi>\($0)</bdi>”" }
    return """
      <p>Taken out of service, \(time(retirement.recorded.at)) (\(link(run: retirement.recorded.run)))\(reason).</p>
      """
  }

  // MARK: Runs

  private func runs(_ room: BuildingRoom) -> Markup {
    // Consecutive runs with the same result and without an attempt are one entry.
    let groups = room.runs.chunked { $0.isLike($1) }
    let items = groups.enumerated().map { index, runs -> Markup in
      let isNewest = index == groups.count - 1
      let (first, last) = (runs[0], runs[runs.count - 1])
      let which: Markup =
        runs.count == 1
        ? "\(link(run: first.recorded.run)), \(minute(first.recorded.at))"
        : """
        \(runs.count) runs, \(link(run: first.recorded.run)) to \(link(run: last.recorded.run)), \
        \(minute(first.recorded.at)) to \(minute(last.recorded.at))
        """
      return """
        <li>\(which): \(outcome(last, isNewest: isNewest))\(attempts(last, isNewest: isNewest))
        """
    }
    return items.isEmpty ? "" : "<ul>\(items.joined())</ul>"
  }

  /// The outcome of a run for the room; advice only for the newest run, because older advice is outdated.
  private func outcome(_ run: BuildingRoom.Run, isNewest: Bool) -> Markup {
    let room = run.room
    let evidence: Markup? = room.evidence.map { ": \($0.plainSentence)" }
    let tried =
      room.wasTried
      ? ", \(room.attempts.counted("attempt"))\(room.exemptionWords), \(room.seconds.asSeconds)" : ""
    let explanation: Markup? = Explanation(of: room).map {
      isNewest ? "<br>\($0.sentence)<br>→ \($0.advice)" : "<br>\($0.sentence)"
    }
    return "<b>\(room.outcome.symbol) \(room.outcomeWords)</b>\(evidence)\(tried)\(explanation)"
  }

  private func attempts(_ run: BuildingRoom.Run, isNewest: Bool) -> Markup {
    let attempts = run.room.attemptReports
    guard !attempts.isEmpty, isNewest || isDetailed else { return "" }
    return "<ol>\(attempts.map { "<li>\(attempt($0, run))" }.joined())</ol>"
  }

  private func attempt(_ attempt: AttemptReport, _ run: BuildingRoom.Run) -> Markup {
    let began = run.recorded.at.addingTimeInterval(attempt.begin.seconds)
    let signal = attempt.rssi.map { ", \($0) dBm" } ?? ""
    // Only the last adapter's name is known here; the others have their addresses.
    let name = attempt.adapter == run.room.adapter ? run.adapterName : nil
    // The device log has the stages of every attempt.
    let stages: Markup? =
      attempt.isSuccess
      ? nil : ": \(attempt.stages.map { stage($0, run.room.titles) }.joined(separator: " · "))"
    return """
      \(times.second(began)) on \(name ?? attempt.adapter.description)\(signal), \(attempt.resultWords)\(stages)
      """
  }

  private func stage(_ stage: StageReport, _ titles: SettingTitles) -> Markup {
    let setting = stage.setting.map { " \(titles.title($0))" } ?? ""
    let time = stage.seconds.map { " \($0.asSeconds)" } ?? ""
    if stage.failure != nil {
      return "<b>✗ \(stage.stage.rawValue)\(setting)\(time) of \(stage.timeout.asSeconds)</b>"
    }
    return "\(stage.stage.rawValue)\(setting)\(time)\(stage.isEnded ? "" : " …")"
  }
}

extension AttemptReport {
  /// Its number in words.
  var name: String { "attempt \(number)" + (notCounted == nil ? "" : " (not counted)") }

  /// Whether it ended without a failure.
  fileprivate var isSuccess: Bool { seconds != nil && failure == nil }

  /// The outcome, in a clause.
  var resultWords: String {
    guard let seconds else { return "no end on record" }
    return failure.map { failure in
      AttemptExemption.clause(notCounted, failure, after: " after \(seconds.asSeconds)")
    }
      ?? "done in \(seconds.asSeconds)"
  }
}

extension Evidence {
  /// The evidence and its details, without the time.
  var plainSentence: String {
    var words = grade.plainWords
    if let identity { words += ", \(identity.distinction)" }
    if let rssi { words += ", \(rssi) dBm" }
    if let secondsAfterSave, run == nil {
      words += ", \(secondsAfterSave.asSeconds) after the \(grade == .selfDisconnect ? "write" : "save")"
    }
    if let weakness = grade.weakness { words += " (weak: \(weakness))" }
    if run != nil { words += ", recorded by an earlier run" }
    return words
  }
}

extension BuildingRoom.Run {
  fileprivate func isLike(_ other: BuildingRoom.Run) -> Bool {
    !room.wasTried && !other.room.wasTried && room.outcome == other.room.outcome
      && room.evidence?.grade == other.room.evidence?.grade
      && (room.evidence?.run == nil) == (other.room.evidence?.run == nil) && room.reason == other.room.reason
  }
}
