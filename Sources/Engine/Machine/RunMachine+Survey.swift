import Bluetooth
import Model
import Session

/// The survey: the run's first scan windows, before anything is decided.
///
/// It ends early once every device that the manifest names was heard, but not before others had a chance: a minor that is
/// on air from elsewhere must be heard before the first write. Where nearness is to decide, it goes on until it does. Only
/// time in which every usable adapter scans counts, so what is decided next rests on having scanned.
struct Survey: Sendable {
  /// The shortest survey.
  static let shortest = Duration.seconds(3)
  /// How often nearness is judged meanwhile.
  static let nearnessInterval = Duration.milliseconds(500)

  /// How long it lasts at least.
  var shortest = Survey.shortest
  /// The devices that it may end without going on for, once all of them were heard; nil when a room's device is not known.
  var named: Set<BluetoothAddress>?
  /// Those of them that were not heard yet.
  var unheard: Set<BluetoothAddress> = []
  /// Rooms whose device nearness is to decide.
  var near: [Int] = []
  /// When nearness is judged next.
  var judgesNearnessAt: MonotonicInstant?

  /// A device was heard. Returns whether that was the last one.
  mutating func heard(_ device: BluetoothAddress) -> Bool {
    unheard.remove(device) != nil && unheard.isEmpty
  }
}

extension RunMachine {
  mutating func beginSurvey() {
    var survey = Survey()
    survey.shortest = min(Survey.shortest, request.survey)
    var named: Set<BluetoothAddress>? = []
    for place in rooms.indices {
      let entry = rooms[place]
      let device = request.known.device(of: entry.room)?.address
      if device == nil, entry.room.near != nil {
        survey.near.append(place)
      } else if let device {
        // A device that sleeps most of the time is heard by its own session.
        if !entry.family.searchesItself { named?.insert(device) }
      } else {
        named = nil
      }
    }
    survey.named = named
    survey.unheard = named ?? []
    phase = .surveying(survey)
  }

  /// Goes on surveying, or ends it.
  mutating func proceed(with survey: Survey) {
    var survey = survey
    // What was heard before an adapter was lost, or the host slept, is to be heard again.
    if survey.unheard.isEmpty, let named = survey.named {
      survey.unheard = named.filter { air[$0]?.lastHeard == nil }
    }
    let scanned = surveyTime
    let isLong = scanned >= request.survey && !isAnyAdapterSuspected
    let isHeard = survey.named != nil && survey.unheard.isEmpty
    guard isLong || scanned >= survey.shortest && isHeard && isNearnessSettled(&survey) else {
      phase = .surveying(survey)
      return
    }
    phase = .closingSurvey
    isDirty = true
  }

  /// Whether a longer survey would not tell more of which device is near which adapter.
  private mutating func isNearnessSettled(_ survey: inout Survey) -> Bool {
    guard !survey.near.isEmpty else { return true }
    if let next = survey.judgesNearnessAt, now < next { return false }
    survey.judgesNearnessAt = now.advanced(by: Survey.nearnessInterval)
    return matches(of: survey.near).values.allSatisfy { match in
      guard case .stopped(_, let reason) = match else { return true }
      return reason.code != .heardTooBriefly && reason.code != .noCandidate
    }
  }

  /// Matches once no scan window is open any more: the kernel would end one by itself while a person is asked.
  mutating func matchIfSurveyIsClosed() {
    guard windows.isEmpty else { return }
    bind()
  }

  /// How long every adapter that the stack lets scan has scanned at least since the survey began.
  var surveyTime: Duration {
    radios.filter { !$0.isHeld(at: now) }.map { $0.scanTime.total(at: now) - surveySince }.min() ?? .zero
  }

  /// Whether an adapter that hears nothing is yet to be switched off and on.
  private var isAnyAdapterSuspected: Bool {
    radios.contains { !$0.wasPowerCycled && $0.hearsNothing(at: now) }
  }

  /// When the phase of the run asks for a decision at the latest.
  var phaseWake: MonotonicInstant? {
    switch phase {
    case .surveying(let survey):
      guard radios.contains(where: { $0.state.window?.hasBegun == true }) else { return nil }
      let scanned = surveyTime
      let ends = [survey.shortest, request.survey].filter { $0 > scanned }
        .map { now.advanced(by: $0 - scanned) }
      return (ends + [survey.judgesNearnessAt].compactMap(\.self).filter { $0 > now }).min()
    case .provisioning: return matchesAgainAt
    case .draining(let end): return end
    case .closingSurvey, .stopping, .concluding, .ended: return nil
    }
  }
}
