import Bluetooth

/// The survey: the run's first scan windows, before anything is decided.
extension ApplyRun {
  /// Finds out which devices are there.
  ///
  /// It ends early once every device that the manifest names was heard, but not before others had a chance: a minor that is
  /// on air from elsewhere must be heard before the first write. Where nearness is to decide, it goes on until it does. Only
  /// time in which every usable adapter scans counts, so what is decided next rests on having scanned.
  func survey(in group: inout TaskGroup<Void>) async throws(Stop) {
    let unbound = rooms.filter { $0.near != nil && request.known.device(of: $0) == nil }
    // A device that sleeps most of the time is heard by its own session.
    let named = rooms.compactMap { room -> BluetoothAddress?? in
      let device = request.known.device(of: room)?.address
      if device == nil { return room.near == nil ? .some(nil) : nil }
      return profile(of: room).searchesItself ? nil : .some(device)
    }
    let shortest = min(Self.shortestSurvey, request.survey)
    isSurveying = true
    schedule.awaitsNews = true
    // Where nearness decides, anew and not on: most chips report each device but once in a scan.
    if !unbound.isEmpty { schedule.longestWindow = shortest }
    defer {
      isSurveying = false
      schedule.awaitsNews = false
      schedule.longestWindow = Schedule.Limits.longestWindow
    }
    while true {
      try await lookAfterAdapters()
      let scanned = schedule.surveyTime(at: clock.now)
      let isLong = scanned >= request.survey && !schedule.isAnyoneSuspected(at: clock.now)
      if isLong || scanned >= shortest && areHeard(named) && isSettled(unbound) { break }
      let wake = try await begin(in: &group)
      let limits = [shortest, request.survey].filter { $0 > scanned }
      let ends = limits.map { clock.now.advanced(by: $0 - scanned) }
      await rest(until: ([wake].compactMap(\.self) + ends).min())
    }
    // Nothing is left open while a person is asked: the kernel ends a scan by itself after 10 s.
    schedule.awaitsNews = false
    while !windows.isEmpty {
      try await lookAfterAdapters()
      _ = try await begin(in: &group)
      if !windows.isEmpty { await rest(until: nil) }
    }
  }

  /// The shortest survey.
  private static let shortestSurvey = Duration.seconds(3)

  /// Whether all of these devices were heard; one that nobody knows was not.
  private func areHeard(_ devices: [BluetoothAddress?]) -> Bool {
    devices.allSatisfy { $0.map { air[$0]?.lastHeard != nil } ?? false }
  }

  /// Whether listening longer would not tell more of which device is near which adapter.
  private func isSettled(_ rooms: [Room]) -> Bool {
    matches(of: rooms).values.allSatisfy { match in
      guard case .stopped(_, let reason) = match else { return true }
      return reason.code != .heardTooBriefly && reason.code != .noCandidate
    }
  }
}
