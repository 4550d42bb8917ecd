import Model

extension BuildingPage {
  /// The state of the building: in the file with its time and what is left, on the page of `serve` with what the newest run does.
  var verdict: Markup {
    guard live == nil else { return "<strong>\(state)</strong> \(progress)" }
    return """
      <strong>\(state)</strong> As of \(time(report.made)) (\(times.offset(report.made))). \(remainder)\(lastCheck)
      """
  }

  /// The remaining work.
  private var remainder: Markup {
    let open = report.open.count
    if report.counted.isEmpty { return "" }
    if open == 0 { return "Nothing is left to do." }
    return "<a href=\"#open-title\">\(open) \(open == 1 ? "room is" : "rooms are") left to do.</a>"
  }

  /// The date of the newest check on site, and what it received: `11 received on 2026-11-25 · 1 missing since
  /// 2026-11-23`.
  private var lastCheck: Markup {
    let checks = report.counted.compactMap { room in room.verification.map { (room, $0) } }
    guard let newest = checks.map(\.1.recorded.at).max() else { return "" }
    let day = times.day(newest)
    let received = checks.count { times.day($0.1.recorded.at) == day && $0.1.found.finding == .onAir }
    let missing = report.counted.compactMap(\.missingSince?.at)
    let since: Markup? = missing.min().map { " · \(missing.count) missing since \(times.day($0))" }
    return "<br>\(received) received on \(day)\(since)"
  }

  /// The sources of the report.
  var origin: Markup {
    let maker = report.maker
    let user: Markup? = maker.user.map { " by \($0)" }
    let made: Markup =
      "\(time(report.made)) (\(times.offset(report.made)))\(user) on \(maker.host), with roboprov \(maker.toolVersion)"
    return """
      <dl class="origin">
      <dt>Building</dt><dd><code>\(report.building)</code></dd>
      <dt>Made</dt><dd>\(made)</dd>
      \(manifest)<dt>Newest run</dt><dd>\(newestRun)</dd>
      </dl>
      """
  }

  private var manifest: Markup {
    guard let manifest = report.manifest else {
      return "<dt>Manifest</dt><dd>none</dd>\n"
    }
    return """
      <dt>Manifest</dt><dd>\(manifest.path)<br>Digest <code class="hash">\(manifest.sha256)</code></dd>

      """
  }

  private var newestRun: Markup {
    guard let newest else { return "no run has used an adapter" }
    // At most one of them is known.
    let speed: Markup? = (newest.report.speed?.sentence ?? newest.report.busyHost).map { "<br>\($0)" }
    return "\(link(run: newest.started.run)), \(time(newest.began))\(speed)"
  }
}
