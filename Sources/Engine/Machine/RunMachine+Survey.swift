import Bluetooth
import Model
import Session

/// The survey: the first scan windows of a run, before matching.
///
/// It ends early once every device that the manifest names was received, but not before other devices had a
/// chance: the run must receive another device with the same identity before the first write. A run of devices that send
/// no identity has nothing to wait for, and neither has one whose adapters have scanned just before it. With several
/// adapters and nothing left to decide, one of them completes the survey while the others connect. While rooms have no
/// device by name or nearness yet, the survey continues. Only the time in which every usable adapter scans counts.
package struct Survey: Sendable {
  package static let shortest = Duration.seconds(3)
  /// How often rooms without an address are matched during the survey.
  static let matchInterval = Duration.milliseconds(500)

  /// The shortest duration of this survey.
  var shortest = Survey.shortest
  /// The survey may end early once all these devices were received; nil when the device of any room is
  /// unknown.
  var named: Set<BluetoothAddress>?
  /// The named devices that were not received yet.
  var unreceived: Set<BluetoothAddress> = []
  /// The rooms whose device is found by its name or by nearness.
  var searched: [Int] = []
  /// When these are matched next.
  var matchesAt: MonotonicInstant?
  /// Whether what was received before the run can take the place of a part of it.
  var mayBeShort = false
  /// Whether a device is found by nearness.
  var measuresNearness = false
  /// Whether one adapter may complete the survey while the others connect.
  var maySplit = false

  /// Notes a reception. Returns whether that was the last named device.
  mutating func received(_ device: BluetoothAddress) -> Bool {
    unreceived.remove(device) != nil && unreceived.isEmpty
  }
}

extension RunMachine {
  mutating func beginSurvey() {
    var survey = Survey()
    var named: Set<BluetoothAddress>? = []
    for place in rooms.indices {
      let entry = rooms[place]
      let device = request.known.device(of: entry.room)?.address
      if device == nil, entry.room.near != nil || entry.room.deviceName != nil {
        survey.searched.append(place)
        survey.measuresNearness = survey.measuresNearness || entry.room.near != nil
      } else if let device {
        // The session of a device that mostly sleeps searches for it itself.
        if !entry.isPerAction { named?.insert(device) }
      } else {
        named = nil
      }
    }
    survey.mayBeShort = goal == .apply && survey.searched.isEmpty && !rooms.isAnyPerAction
    let isShort = survey.mayBeShort && !request.rooms.contains { $0.family.hasIdentity }
    survey.shortest = min(isShort ? RadioLimits.shortestWindow : Survey.shortest, request.survey)
    survey.named = named
    survey.unreceived = named ?? []
    // A plan needs the whole survey, and a device that mostly sleeps cannot wait for the permission to write.
    survey.maySplit =
      goal == .apply && request.plan == nil && !request.rooms.contains { $0.family.lifecycle.isPerAction }
    course.phase = .surveying(survey)
  }

  /// The shortest duration of a survey with the adapters in use.
  private func shortest(of survey: Survey) -> Duration {
    let isDone = survey.mayBeShort && radios.allSatisfy { request.surveyed.contains($0.id) }
    return isDone ? min(RadioLimits.shortestWindow, survey.shortest) : survey.shortest
  }

  /// Continues the survey, or ends it.
  mutating func proceed(with survey: Survey) {
    var survey = survey
    // Sightings from before the loss of an adapter or a pause of the host must be repeated.
    if survey.unreceived.isEmpty, let named = survey.named {
      survey.unreceived = named.filter { air[$0]?.receptions.isEmpty ?? true }
    }
    let scanned = radios.surveyTime(at: now)
    let isLong = scanned >= request.survey && !radios.isAnySuspected(at: now)
    let isReceived = survey.named != nil && survey.unreceived.isEmpty
    guard
      isLong || scanned >= shortest(of: survey) && isReceived && isSearchSettled(&survey)
        || isReceived && split(&survey, after: scanned)
    else {
      course.phase = .surveying(survey)
      return
    }
    course.phase = .closingSurvey
    isDirty = true
  }

  /// Leaves the rest of the survey to one adapter, if every room has its device. Returns whether it did.
  private mutating func split(_ survey: inout Survey, after scanned: Duration) -> Bool {
    guard survey.maySplit, scanned >= RadioLimits.shortestWindow, scanned < survey.shortest else {
      return false
    }
    survey.maySplit = false
    guard let listener = radios.longestScanning(at: now) else { return false }
    let isDecided = matches(of: Array(rooms.indices)).values.allSatisfy { match in
      switch match {
      case .device(_, let basis): !basis.needsConsent
      case .done: true
      case .awaited, .stopped: false
      }
    }
    guard isDecided else { return false }
    radios.listen(listener, for: survey.shortest)
    return true
  }

  /// Whether each room without an address has its device, or a longer survey would not give it one.
  private mutating func isSearchSettled(_ survey: inout Survey) -> Bool {
    if let next = survey.matchesAt, now < next { return false }
    survey.matchesAt = now.advanced(by: Survey.matchInterval)
    return matches(of: survey.searched).values.allSatisfy { match in
      guard case .stopped(_, let reason) = match else { return true }
      return reason.code != .receivedTooBriefly && reason.code != .noCandidate
    }
  }

  /// Matches once all scan windows are closed: the kernel would end one by itself while a question is
  /// pending.
  mutating func matchIfSurveyIsClosed() {
    let listener = radios.listener(at: now).map { radios[$0.index].session }
    guard radios.open.allSatisfy({ $0 == listener }) else { return }
    bind()
  }

  /// When the phase of the run needs a decision at the latest.
  var phaseWake: MonotonicInstant? {
    switch course.phase {
    case .surveying(let survey):
      guard radios.contains(where: { $0.state.window?.hasBegun == true }) else { return nil }
      let scanned = radios.surveyTime(at: now)
      let ends = [RadioLimits.shortestWindow, shortest(of: survey), request.survey].filter { $0 > scanned }
        .map { now.advanced(by: $0 - scanned) }
      return (ends + [survey.matchesAt].compactMap(\.self).filter { $0 > now }).min()
    case .provisioning:
      let listened = radios.listener(at: now).flatMap {
        radios[$0.index].scanTime.instant(of: $0.until, at: now)
      }
      return [matchesAgainAt, listened].compactMap(\.self).min()
    case .draining(let end): return end
    case .closingSurvey, .stopping, .concluding, .ended: return nil
    }
  }
}
