import Model

/// What the page of `serve` has besides that of the file.
extension BuildingPage {
  var linked: Markup {
    """
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="style.css">
    <script src="script.js" defer></script>

    """
  }

  var alerts: Markup {
    """
    <p id="lost" role="alert" hidden></p>
    <div id="problem" role="alert">\(problem)</div>

    """
  }

  /// The text about the cell that was touched, and the choice of sounds.
  var touched: Markup {
    """
    <p id="chosen" role="status"></p>
    <p><label>Sound when a room ends: <select id="sound"><option value="">none</option></select></label></p>

    """
  }

  var noScript: Markup {
    "<noscript><p>Without JavaScript the page is as it was when it was loaded.</p></noscript>\n"
  }

  var problem: Markup {
    guard let live, !live.problems.isEmpty else { return "" }
    let before: Markup? =
      live.isKnown ? live.changed.map { " This page shows what was known at \(times.instant($0))." } : nil
    return "<p>! \(live.problems.map { Markup($0) }.joined(separator: " "))\(before)</p>"
  }

  /// What the newest run does, or how it ended. A run without an end whose process is not there was interrupted, unless
  /// another computer writes the record.
  var progress: Markup {
    guard let run = report.runs.last(where: { $0.started.command == .apply }) else {
      return live?.isKnown == false ? "" : "No run is on record."
    }
    if let working {
      let now = working.rooms.count { $0.isWorkedOn }
      return
        "A run has been at work since \(time(run.began)), on \(now.rooms) now: \(working.tally.ended) of \(working.tally.total) ended."
    }
    if let finished = run.report.finished {
      return "No run is at work. The newest one ended at \(time(finished))."
    }
    return
      "The newest run, of \(time(run.began)), has no end on record and is not at work on this computer: it was interrupted, or is at work on another one."
  }

  /// The rooms that need somebody now. While a run works, a room that it has not ended waits for nobody, unless the run says
  /// so.
  var awaiting: [BuildingRoom] {
    report.open.filter { room in
      guard let now = working?[room.id], !now.isExcluded else { return true }
      return now.isFinished || now.awaitedAction != nil
    }
  }

  var noneAwaiting: Markup {
    if report.counted.isEmpty { return "" }
    return working == nil ? "<p>Nothing is left to do.</p>" : "<p>No room needs anybody now.</p>"
  }
}

extension RoomReport {
  /// Whether an attempt at its device is in flight.
  fileprivate var isWorkedOn: Bool { !isFinished && attemptReports.last.map { $0.seconds == nil } ?? false }
}
