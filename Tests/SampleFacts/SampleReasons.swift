import Bluetooth
package import Model

extension SampleFacts {
  /// A reason and its JSON form.
  package struct ReasonExample: Sendable, CustomStringConvertible {
    package let reason: FailureReason
    /// With sorted keys.
    package let json: String

    package var description: String { json }

    init(_ reason: FailureReason, _ json: String) {
      self.reason = reason
      self.json = json
    }
  }

  private static let first: BluetoothAddress = address
  private static let held = "uuid 0D1E, major 1, minor 9"
  private static let write = FailedStep(.write, setting: .minor, stackText: "busy")
  private static let writeJSON = #""setting":"minor","stack_text":"busy","stage":"write"}"#
  private static let received = ReceivedCandidate(address: first, adapter: adapter, rssi: -71)
  private static let receivedJSON = #"[{"adapter":"\#(adapter)","address":"\#(first)","rssi":-71}]"#
  private static let others = OtherSenders(identity: 5, addresses: [first], candidates: [received])
  private static let othersJSON = #"{"addresses":["\#(first)"],"candidates":\#(receivedJSON),"code":"#
  private static let contradiction = Contradiction(
    first, StateSighting(adapter: adapter, identity: nil), StateSighting(adapter: adapter, identity: 7))
  private static let sightingsJSON =
    #""sightings":[{"adapter":"\#(adapter)"},{"adapter":"\#(adapter)","identity":"\#(DeviceIdentity.sensor(7))"}]"#
  private static let response = SaveResponse(deviceText: "error:no", stackText: "busy")

  /// Every code with its largest and its smallest context.
  package static let reasons: [ReasonExample] = [
    ReasonExample(.neverReceived(), #"{"code":"never_received"}"#),
    ReasonExample(
      .neverReceived(searchSeconds: 2.5), #"{"code":"never_received","seconds":2.5,"stage":"search"}"#),
    ReasonExample(
      .beaconAsBefore(7, nil), #"{"code":"beacon_as_before","identity":"\#(DeviceIdentity.sensor(7))"}"#),
    ReasonExample(
      .beaconAsBefore(7, response),
      #"{"code":"beacon_as_before","device_text":"error:no","identity":"\#(DeviceIdentity.sensor(7))","stack_text":"busy","stage":"verify"}"#
    ),
    ReasonExample(
      .contradictorySightings(contradiction, nil),
      #"{"addresses":["\#(first)"],"code":"contradictory_sightings","# + sightingsJSON + "}"),
    ReasonExample(
      .contradictorySightings(contradiction, response),
      #"{"addresses":["\#(first)"],"code":"contradictory_sightings","device_text":"error:no","#
        + sightingsJSON + #","stack_text":"busy","stage":"verify"}"#),
    ReasonExample(
      .settingsUnknown(7), #"{"code":"settings_unknown","identity":"\#(DeviceIdentity.sensor(7))"}"#),
    ReasonExample(.settingsUnknown(nil), #"{"code":"settings_unknown"}"#),
    ReasonExample(.authorizationRequired, #"{"code":"authorization_required"}"#),
    ReasonExample(.localAdapterNeeded, #"{"code":"local_adapter_needed"}"#),
    ReasonExample(.notRecognised, #"{"code":"not_recognised"}"#),
    ReasonExample(.adapterDeaf, #"{"code":"adapter_deaf"}"#),
    ReasonExample(.connectTimedOut(), #"{"code":"connect_timed_out","stage":"connect"}"#),
    ReasonExample(
      .connectTimedOut(seconds: 15), #"{"code":"connect_timed_out","seconds":15,"stage":"connect"}"#),
    ReasonExample(
      .connectTimedOut(stackText: "busy"),
      #"{"code":"connect_timed_out","stack_text":"busy","stage":"connect"}"#),
    ReasonExample(.connectFailed(FailedStep(.connect)), #"{"code":"connect_failed","stage":"connect"}"#),
    ReasonExample(
      .connectFailed(FailedStep(.connect, stackText: "busy")),
      #"{"code":"connect_failed","stack_text":"busy","stage":"connect"}"#),
    ReasonExample(
      .contentHidden(stackText: "Failed"), #"{"code":"content_hidden","stack_text":"Failed"}"#),
    ReasonExample(.unknownToStack(), #"{"code":"unknown_to_stack","stage":"connect"}"#),
    ReasonExample(
      .unknownToStack(stackText: "gone"),
      #"{"code":"unknown_to_stack","stack_text":"gone","stage":"connect"}"#),
    ReasonExample(.linkLost(FailedStep(.ready)), #"{"code":"link_lost","stage":"ready"}"#),
    ReasonExample(.linkLost(write), #"{"code":"link_lost","# + writeJSON),
    ReasonExample(.stageTimedOut(FailedStep(.write)), #"{"code":"stage_timed_out","stage":"write"}"#),
    ReasonExample(.stageTimedOut(write), #"{"code":"stage_timed_out","# + writeJSON),
    ReasonExample(
      .stageTimedOut(FailedStep(.read, setting: .major), seconds: 10),
      #"{"code":"stage_timed_out","seconds":10,"setting":"major","stage":"read"}"#),
    ReasonExample(.serviceMissing(FailedStep(.discover)), #"{"code":"service_missing","stage":"discover"}"#),
    ReasonExample(.serviceMissing(write), #"{"code":"service_missing","# + writeJSON),
    ReasonExample(
      .serviceAmbiguous(FailedStep(.discover)), #"{"code":"service_ambiguous","stage":"discover"}"#),
    ReasonExample(.attributeRejected(FailedStep(.write)), #"{"code":"attribute_rejected","stage":"write"}"#),
    ReasonExample(.pairingRequired(write), #"{"code":"pairing_required","# + writeJSON),
    ReasonExample(
      .pairingRefused(FailedStep(.connect)), #"{"code":"pairing_refused","stage":"connect"}"#),
    ReasonExample(
      .passkeyRefused(FailedStep(.connect, stackText: "no"), source: "env: PASSKEY"),
      #"{"code":"passkey_refused","source":"env: PASSKEY","stack_text":"no","stage":"connect"}"#),
    ReasonExample(.passkeyUnused(FailedStep(.connect)), #"{"code":"passkey_unused","stage":"connect"}"#),
    ReasonExample(
      .pairingUnsuitable(FailedStep(.connect)), #"{"code":"pairing_unsuitable","stage":"connect"}"#),
    ReasonExample(.pairingLost(FailedStep(.connect)), #"{"code":"pairing_lost","stage":"connect"}"#),
    ReasonExample(
      .attributeRejected(write, attError: 13), #"{"att_error":13,"code":"attribute_rejected","# + writeJSON),
    ReasonExample(
      .refused(stage: .save, deviceText: "error:no"),
      #"{"code":"refused","device_text":"error:no","stage":"save"}"#),
    ReasonExample(
      .wifiRefused(.password, deviceText: "auth_error"),
      #"{"cause":"password","code":"wifi_refused","device_text":"auth_error","stage":"save"}"#),
    ReasonExample(.saveNotKept, #"{"code":"save_not_kept","stage":"verify"}"#),
    ReasonExample(
      .wrongIdentity(9),
      #"{"code":"wrong_identity","identity":"\#(DeviceIdentity.sensor(9))","stage":"verify"}"#),
    ReasonExample(
      .readBackMismatch(setting: "power", held: "power low"),
      #"{"code":"read_back_mismatch","held":"power low","setting":"power","stage":"read"}"#),
    ReasonExample(
      .credentialsRefused(FailedStep(.ready)), #"{"code":"credentials_refused","stage":"ready"}"#),
    ReasonExample(
      .credentialsRefused(FailedStep(.ready, stackText: "no"), source: "env: POP"),
      #"{"code":"credentials_refused","source":"env: POP","stack_text":"no","stage":"ready"}"#),
    ReasonExample(
      .securityTooLow(held: "security 0"),
      #"{"code":"security_too_low","held":"security 0","stage":"ready"}"#),
    ReasonExample(.notForWiFi, #"{"code":"not_for_wifi","stage":"ready"}"#),
    ReasonExample(
      .otherDevice(held: "shellyplus1-a8032abe54dc"),
      #"{"code":"other_device","held":"shellyplus1-a8032abe54dc","stage":"ready"}"#),
    ReasonExample(.deviceRestarts, #"{"code":"device_restarts","stage":"save"}"#),
    ReasonExample(
      .settingUnsupported("endpoints.custom-data"),
      #"{"code":"setting_unsupported","setting":"endpoints.custom-data","stage":"discover"}"#),
    ReasonExample(
      .networkNotReceived(ssid: "Guests", networks: [FoundNetwork(ssid: "Office", rssi: -61)]),
      #"{"code":"network_not_received","networks":[{"rssi":-61,"ssid":"Office"}],"ssid":"Guests","stage":"read"}"#
    ),
    ReasonExample(
      .foreignSettings(held: held, .reading),
      #"{"code":"foreign_settings","held":"\#(held)","stage":"read"}"#),
    ReasonExample(
      .foreignSettings(held: held, .onAir),
      #"{"code":"foreign_settings","held":"\#(held)"}"#),
    ReasonExample(.noSelfDisconnect(), #"{"code":"no_self_disconnect","stage":"save"}"#),
    ReasonExample(
      .noSelfDisconnect(seconds: 3.5), #"{"code":"no_self_disconnect","seconds":3.5,"stage":"save"}"#),
    ReasonExample(.notReceivedAfterSave(nil), #"{"code":"not_received_after_save"}"#),
    ReasonExample(
      .notReceivedAfterSave(SaveResponse()), #"{"code":"not_received_after_save","stage":"verify"}"#),
    ReasonExample(
      .notReceivedAfterSave(response),
      #"{"code":"not_received_after_save","device_text":"error:no","stack_text":"busy","stage":"verify"}"#),
    ReasonExample(
      .receivedFromOtherAddress(others, SaveResponse()),
      othersJSON
        + #""received_from_other_address","identity":"\#(DeviceIdentity.sensor(5))","stage":"verify"}"#),
    ReasonExample(
      .receivedFromOtherAddress(others, SaveResponse(deviceText: "error:no")),
      othersJSON
        + #""received_from_other_address","device_text":"error:no","identity":"\#(DeviceIdentity.sensor(5))","stage":"verify"}"#
    ),
    ReasonExample(
      .configuredOtherwise(9), #"{"code":"configured_otherwise","identity":"\#(DeviceIdentity.sensor(9))"}"#),
    ReasonExample(
      .identityOnAir(9, [first]),
      #"{"addresses":["\#(first)"],"code":"identity_on_air","identity":"\#(DeviceIdentity.sensor(9))"}"#),
    ReasonExample(
      .identityOnRecord(9, [first]),
      #"{"addresses":["\#(first)"],"code":"identity_on_record","identity":"\#(DeviceIdentity.sensor(9))"}"#),
    ReasonExample(.settingsChanged(nil), #"{"code":"settings_changed"}"#),
    ReasonExample(
      .settingsChanged(9), #"{"code":"settings_changed","identity":"\#(DeviceIdentity.sensor(9))"}"#),
    ReasonExample(.planOutdated, #"{"code":"plan_outdated"}"#),
    ReasonExample(
      .adapterClaimed(holder: "hci0: run r"), #"{"code":"adapter_claimed","stack_text":"hci0: run r"}"#),
    ReasonExample(
      .hostPaused(FailedStep(.connect)), #"{"code":"host_paused","stage":"connect"}"#),
    ReasonExample(
      .hostPaused(FailedStep(.write), seconds: 10),
      #"{"code":"host_paused","seconds":10,"stage":"write"}"#),
    ReasonExample(
      .hostPaused(write, attError: 13), #"{"att_error":13,"code":"host_paused","# + writeJSON),
    ReasonExample(
      .hostPaused(FailedStep(.write), deviceText: "error:no"),
      #"{"code":"host_paused","device_text":"error:no","stage":"write"}"#),
    ReasonExample(
      .hostPaused(FailedStep(.read, setting: "power"), held: "power low"),
      #"{"code":"host_paused","held":"power low","setting":"power","stage":"read"}"#),
    ReasonExample(
      .tooManyCandidates([first]), #"{"addresses":["\#(first)"],"code":"too_many_candidates"}"#),
    ReasonExample(
      .tooManyCandidates([first], identity: 9),
      #"{"addresses":["\#(first)"],"code":"too_many_candidates","identity":"\#(DeviceIdentity.sensor(9))"}"#),
    ReasonExample(.noCandidate(), #"{"code":"no_candidate"}"#),
    ReasonExample(.noCandidate(near: "hci1"), #"{"code":"no_candidate","near":"hci1"}"#),
    ReasonExample(.addressMissing, #"{"code":"address_missing"}"#),
    ReasonExample(
      .ambiguousFamily(["tag", "lamp"]), #"{"code":"ambiguous_family","families":["tag","lamp"]}"#),
    ReasonExample(.addressNeeded(received: []), #"{"code":"address_needed"}"#),
    ReasonExample(.addressNeeded(received: [first]), #"{"addresses":["\#(first)"],"code":"address_needed"}"#),
    ReasonExample(
      .notClearlyNearest(near: "hci1", [received]),
      #"{"candidates":\#(receivedJSON),"code":"not_clearly_nearest","near":"hci1"}"#),
    ReasonExample(
      .notNear(near: "hci1", [received]), #"{"candidates":\#(receivedJSON),"code":"not_near","near":"hci1"}"#),
    ReasonExample(
      .receivedTooBriefly(near: "hci1", [received]),
      #"{"candidates":\#(receivedJSON),"code":"received_too_briefly","near":"hci1"}"#),
    ReasonExample(.adapterMissing(near: "hci1"), #"{"code":"adapter_missing","near":"hci1"}"#),
    ReasonExample(.adapterShared(near: "hci1"), #"{"code":"adapter_shared","near":"hci1"}"#),
    ReasonExample(.notConfirmed, #"{"code":"not_confirmed"}"#),
    ReasonExample(.tooManyFailures, #"{"code":"too_many_failures"}"#),
    ReasonExample(.canariesFailed, #"{"code":"canaries_failed"}"#),
    ReasonExample(.canariesRefused, #"{"code":"canaries_refused"}"#),
    ReasonExample(.adapterLost(.idle()), #"{"code":"adapter_lost"}"#),
    ReasonExample(.adapterLost(.during(write)), #"{"code":"adapter_lost","# + writeJSON),
    ReasonExample(
      .adapterLost(.awaitingProof()), #"{"code":"adapter_lost","stage":"verify"}"#),
    ReasonExample(.stackLost(.idle(stackText: "busy")), #"{"code":"stack_lost","stack_text":"busy"}"#),
    ReasonExample(
      .stackLost(.during(FailedStep(.connect), seconds: 15)),
      #"{"code":"stack_lost","seconds":15,"stage":"connect"}"#),
    ReasonExample(
      .stackLost(.awaitingProof(response, others: others)),
      othersJSON
        + #""stack_lost","device_text":"error:no","identity":"\#(DeviceIdentity.sensor(5))","stack_text":"busy","stage":"verify"}"#
    ),
    ReasonExample(.outOfSlots(FailedStep(.connect)), #"{"code":"out_of_slots","stage":"connect"}"#),
    ReasonExample(.outOfSlots(write), #"{"code":"out_of_slots","# + writeJSON),
    ReasonExample(.interrupted(.idle()), #"{"code":"interrupted"}"#),
    ReasonExample(.interrupted(.during(write)), #"{"code":"interrupted","# + writeJSON),
    ReasonExample(
      .interrupted(.awaitingProof(others: others)),
      othersJSON + #""interrupted","identity":"\#(DeviceIdentity.sensor(5))","stage":"verify"}"#),
    ReasonExample(.recordUnwritable(.idle()), #"{"code":"record_unwritable"}"#),
    ReasonExample(
      .recordUnwritable(.during(FailedStep(.save))), #"{"code":"record_unwritable","stage":"save"}"#),
    ReasonExample(
      .recordUnwritable(.awaitingProof(response)),
      #"{"code":"record_unwritable","device_text":"error:no","stack_text":"busy","stage":"verify"}"#),
    ReasonExample(.stackError(FailedStep(.discover)), #"{"code":"stack_error","stage":"discover"}"#),
    ReasonExample(.stackError(write), #"{"code":"stack_error","# + writeJSON),
  ]
}
