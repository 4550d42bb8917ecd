import Bluetooth

/// Conversion from the flat JSON object to a reason.
extension FailureReason.Form {
  /// The reason.
  /// - Parameter path: the path of the object, for the error.
  func reason(at path: [any CodingKey]) throws(DecodingError) -> FailureReason {
    let context = Context(form: self, path: path)
    return switch code {
    case .neverReceived: .neverReceived(searchSeconds: try context.searchSeconds())
    case .adapterDeaf: .adapterDeaf
    case .notRecognised: .notRecognised
    case .contentHidden: .contentHidden(stackText: try context.required(stackText, .stackText))
    case .connectTimedOut:
      .connectTimedOut(seconds: try context.at(.connect, seconds), stackText: stackText)
    case .connectFailed: .connectFailed(try context.step())
    case .unknownToStack: .unknownToStack(stackText: try context.at(.connect, stackText))
    case .linkLost: .linkLost(try context.step())
    case .stageTimedOut: .stageTimedOut(try context.step(), seconds: seconds)
    case .serviceMissing: .serviceMissing(try context.step())
    case .serviceAmbiguous: .serviceAmbiguous(try context.step())
    case .attributeRejected: .attributeRejected(try context.step(), attError: attError)
    case .pairingRequired: .pairingRequired(try context.step())
    case .refused:
      .refused(
        stage: try context.required(stage, .stage), deviceText: try context.required(deviceText, .deviceText))
    case .wifiRefused:
      .wifiRefused(
        try context.at(.save, context.required(cause, .cause)),
        deviceText: try context.required(deviceText, .deviceText))
    case .saveNotKept: try context.at(.verify, .saveNotKept)
    case .wrongIdentity:
      .wrongIdentity(try context.at(.verify, context.required(identity, .identity)))
    case .readBackMismatch:
      .readBackMismatch(
        setting: try context.at(.read, context.required(setting, .setting)),
        held: try context.required(held, .held))
    case .foreignSettings: .foreignSettings(held: try context.required(held, .held), try context.source())
    case .credentialsRefused: .credentialsRefused(try context.step(), source: source)
    case .securityTooLow: .securityTooLow(held: try context.at(.ready, context.required(held, .held)))
    case .settingUnsupported:
      .settingUnsupported(try context.at(.discover, context.required(setting, .setting)))
    case .networkNotReceived:
      .networkNotReceived(
        ssid: try context.at(.read, context.required(ssid, .ssid)),
        networks: try context.required(networks, .networks))
    case .noSelfDisconnect: .noSelfDisconnect(seconds: try context.at(.save, seconds))
    case .notReceivedAfterSave:
      .notReceivedAfterSave(stage == nil ? nil : try context.at(.verify, context.response))
    case .receivedFromOtherAddress:
      .receivedFromOtherAddress(try context.at(.verify, context.others()), context.response)
    case .beaconAsBefore:
      .beaconAsBefore(
        try context.required(identity, .identity),
        stage == nil ? nil : try context.at(.verify, context.response))
    case .contradictorySightings:
      .contradictorySightings(
        try context.contradiction(), stage == nil ? nil : try context.at(.verify, context.response))
    case .ambiguousFamily: .ambiguousFamily(try context.required(families, .families))
    case .configuredOtherwise:
      .configuredOtherwise(try context.required(identity, .identity))
    case .identityOnAir: .identityOnAir(try context.holders())
    case .identityOnRecord: .identityOnRecord(try context.holders())
    case .settingsChanged: .settingsChanged(identity, changes ?? [])
    case .settingsUnknown: .settingsUnknown(identity)
    case .authorizationRequired: .authorizationRequired
    case .localAdapterNeeded: .localAdapterNeeded
    case .planOutdated: .planOutdated
    case .adapterClaimed: .adapterClaimed(holder: try context.required(stackText, .stackText))
    case .hostPaused: .hostPaused(PausedStep(try context.step(), finding))
    case .tooManyCandidates:
      .tooManyCandidates(try context.required(addresses, .addresses), identity: identity)
    case .noCandidate: .noCandidate(near: near)
    case .addressNeeded: .addressNeeded(received: addresses ?? [])
    case .addressMissing: .addressMissing
    case .notClearlyNearest: .notClearlyNearest(try context.nearCandidates())
    case .notNear: .notNear(try context.nearCandidates())
    case .receivedTooBriefly: .receivedTooBriefly(try context.nearCandidates())
    case .adapterMissing: .adapterMissing(near: try context.required(near, .near))
    case .adapterShared: .adapterShared(near: try context.required(near, .near))
    case .notConfirmed: .notConfirmed
    case .tooManyFailures: .tooManyFailures
    case .canariesFailed: .canariesFailed
    case .canariesRefused: .canariesRefused
    case .adapterLost: .adapterLost(try context.interruption())
    case .stackLost: .stackLost(try context.interruption())
    case .outOfSlots: .outOfSlots(try context.step())
    case .interrupted: .interrupted(try context.interruption())
    case .recordUnwritable: .recordUnwritable(try context.interruption())
    case .stackError: .stackError(try context.step())
    }
  }

  /// The step that failed; nil outside an attempt.
  var step: FailedStep? { stage.map { FailedStep($0, setting: setting, stackText: stackText) } }

  /// How a step had failed before a pause ended it.
  var finding: PausedStep.Finding? {
    if let seconds { return .timeout(seconds: seconds) }
    if let attError { return .attError(attError) }
    if let deviceText { return .deviceText(deviceText) }
    return held.map { .held($0) }
  }

  /// The payloads of reasons, from a form.
  private struct Context {
    let form: FailureReason.Form
    let path: [any CodingKey]

    func required<Value>(_ value: Value?, _ key: CodingKeys) throws(DecodingError) -> Value {
      guard let value else {
        throw .keyNotFound(
          key,
          .init(
            codingPath: path,
            debugDescription: "the reason \(form.code.rawValue) requires \(key.rawValue), which is missing"))
      }
      return value
    }

    /// A value, after a check that the form has the only stage that its code permits.
    func at<Value>(_ stage: Stage, _ value: Value) throws(DecodingError) -> Value {
      guard try required(form.stage, .stage) == stage else {
        throw .dataCorrupted(
          .init(
            codingPath: path + [CodingKeys.stage as any CodingKey],
            debugDescription: "the reason \(form.code.rawValue) is possible in stage \(stage.rawValue) only"))
      }
      return value
    }

    func step() throws(DecodingError) -> FailedStep {
      try required(form.step, .stage)
    }

    /// Without a stage there was no search.
    func searchSeconds() throws(DecodingError) -> Double? {
      form.stage == nil ? nil : try at(.search, required(form.seconds, .seconds))
    }

    func source() throws(DecodingError) -> SettingsSource {
      form.stage == nil ? .onAir : try at(.read, .reading)
    }

    var response: SaveResponse { SaveResponse(deviceText: form.deviceText, stackText: form.stackText) }

    func others() throws(DecodingError) -> OtherSenders {
      OtherSenders(
        identity: try required(form.identity, .identity), addresses: try required(form.addresses, .addresses),
        candidates: try required(form.candidates, .candidates))
    }

    func unprovedSave() throws(DecodingError) -> UnprovedSave {
      UnprovedSave(response, others: form.addresses == nil ? nil : try others())
    }

    func interruption() throws(DecodingError) -> Interruption {
      switch form.stage {
      case nil: .idle(stackText: form.stackText)
      case .verify?: .awaitingProof(try unprovedSave())
      default: .during(try step(), seconds: form.seconds)
      }
    }

    func contradiction() throws(DecodingError) -> Contradiction {
      let sightings = try required(form.sightings, .sightings)
      guard let address = try required(form.addresses, .addresses).first, sightings.count == 2 else {
        throw .dataCorrupted(
          .init(
            codingPath: path + [CodingKeys.sightings as any CodingKey],
            debugDescription: "the reason \(form.code.rawValue) requires two sightings of one address"))
      }
      return Contradiction(address, sightings[0], sightings[1])
    }

    func holders() throws(DecodingError) -> IdentityHolders {
      IdentityHolders(
        try required(form.identity, .identity), try required(form.addresses, .addresses),
        earlier: form.earlier ?? [])
    }

    func nearCandidates() throws(DecodingError) -> NearCandidates {
      NearCandidates(near: try required(form.near, .near), try required(form.candidates, .candidates))
    }
  }
}
