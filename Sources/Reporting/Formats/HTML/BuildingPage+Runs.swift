import Model

extension BuildingPage {
  /// The sources of the page, and one line for each record: runs, and changes that a person made.
  var runTable: Markup {
    guard !report.runs.isEmpty else { return section("runs", "Sources", origin) }
    let rows = report.runs.enumerated().map { row($1, $0 + 1) }
    let columns: [Markup] = [
      "No.", "Began", "What", "By, on", "Outcome", "Rooms", "roboprov, BlueZ", "Clock", "Journal",
    ]
    return section(
      "runs", "Runs and changes on record",
      """
      \(origin)
      <div class="scroll" tabindex="0" role="region" aria-label="Table of runs and changes">
      <table class="plain runs"><caption>Journal: the first digits of the SHA-256 of its last line; the section “Signatures” has all of \
      it.</caption>
      <thead><tr>\(columns.map { "<th scope=\"col\">\($0)" }.joined())</tr></thead>
      <tbody>
      \(rows.joined())</tbody></table></div>
      """)
  }

  private func row(_ run: BuildingRun, _ number: Int) -> Markup {
    let started = run.started
    let user: Markup? = started.operatedBy.map { "<bdi>\($0)</bdi>, " }
    return """
      <tr id="run-\(number)"><th scope="row">\(number)<td>\(time(run.began))<td>\(started.command.rawValue)<br>\
      <code>\(started.run)</code><td>\(user)\(started.host)<td>\(outcome(run))<td>\(rooms(run))\
      <td>\(started.toolVersion), \(run.report.bluezVersion ?? "–")<td>\(clock(started.isClockSynchronised))\
      <td><code>\(String(run.journalHash.prefix(12)))</code></tr>

      """
  }

  private func outcome(_ run: BuildingRun) -> Markup {
    guard let change = run.change else {
      return "\(run.report.outcome?.rawValue ?? "killed, or in progress")"
    }
    let by: Markup? = change.by.map { " by <bdi>\($0)</bdi>" }
    let reason: Markup? = change.reason.map { ": “<bdi>\($0)</bdi>”" }
    return "\(run.report.outcome == nil ? "not complete" : "recorded")\(by)\(reason)"
  }

  private func rooms(_ run: BuildingRun) -> Markup {
    if let change = run.change {
      let name = run.report[change.room]?.planned.name ?? change.room.rawValue
      return link(room: change.room, name)
    }
    guard run.started.command == .apply else { return "" }
    let selected = run.report.selected
    return "\(selected.count(where: \.outcome.isSuccess)) of \(selected.count) done"
  }

  private func clock(_ isSynchronised: Bool?) -> Markup {
    switch isSynchronised {
    case true?: "synchronised"
    case false?: "<b>! not synchronised</b>"
    case nil: "not known"
    }
  }
}
