import Model

extension BuildingReport {
  /// The progress of the building, in one clause; the same in every output.
  var verdict: String {
    let counted = counted
    let done = counted.count { $0.state == .done }
    if counted.isEmpty { return "No rooms on record" }
    if done == counted.count { return done == 1 ? "The only room is done" : "All \(done) rooms done" }
    return "\(done) of \(counted.count.rooms) done"
  }

  /// The number of rooms in each other state, of those that count and of those out of service.
  var others: [(state: RoomStatus.Kind, count: Int)] {
    RoomStatus.Kind.allCases.filter { $0 != .done }.map { state in
      (state, rooms.count { $0.isInManifest && $0.state == state })
    }.filter { $0.count > 0 }
  }
}

extension BuildingPage {
  /// The remaining work.
  private var remainder: HTML {
    let open = report.open.count
    if report.counted.isEmpty { return "" }
    if open == 0 { return "Nothing is left to do." }
    return "<a href=\"#open-title\">\(open) \(open == 1 ? "room is" : "rooms are") left to do.</a>"
  }

  /// The summary.
  var header: HTML {
    """
    <header>
    <p class="kind">Provisioning report</p>
    <h1><bdi>\(report.name)</bdi></h1>
    <p class="verdict\(report.isDone ? " good" : "")"><strong>\(isSimulated ? "SIMULATED: " : "")\(report.verdict)</strong> \
    As of \(time(report.made)) (\(times.offset(report.made))). \(remainder)\(lastCheck)</p>
    \(simulation)</header>
    """
  }

  /// The date of the newest check on site, and what it received: `11 received on 2026-11-25 · 1 not since
  /// 2026-11-23`.
  private var lastCheck: HTML {
    let checks = report.counted.compactMap { room in room.verification.map { (room, $0) } }
    guard let newest = checks.map(\.1.recorded.at).max() else { return "" }
    let day = times.day(newest)
    let received = checks.count { times.day($0.1.recorded.at) == day && $0.1.found.finding == .onAir }
    let missing = report.counted.compactMap(\.missingSince?.at)
    let since: HTML? = missing.min().map { " · \(missing.count) not since \(times.day($0))" }
    return "<br>\(received) received on \(day)\(since)"
  }

  private var simulation: HTML {
    isSimulated
      ? "<p class=\"note\">The building is simulated: this report is not about real devices.</p>\n" : ""
  }

  /// The sources of the report.
  var origin: HTML {
    let maker = report.maker
    let user: HTML? = maker.user.map { " by \($0)" }
    let made: HTML =
      "\(time(report.made)) (\(times.offset(report.made)))\(user) on \(maker.host), with roboprov \(maker.toolVersion)"
    return """
      <dl class="origin">
      <dt>Building</dt><dd><code>\(report.building)</code></dd>
      <dt>Made</dt><dd>\(made)</dd>
      \(manifest)<dt>Newest run</dt><dd>\(newestRun)</dd>
      </dl>
      """
  }

  private var manifest: HTML {
    guard let manifest = report.manifest else {
      return "<dt>Manifest</dt><dd>none</dd>\n"
    }
    return """
      <dt>Manifest</dt><dd>\(manifest.path)<br>Digest <code class="hash">\(manifest.sha256)</code></dd>

      """
  }

  private var newestRun: HTML {
    guard let newest else { return "no run has used an adapter" }
    let speed: HTML? = newest.run.report.speed.map { "<br>\($0.sentence)" }
    return "\(link(run: newest.run.started.run)), \(time(newest.run.began))\(speed)"
  }
}
