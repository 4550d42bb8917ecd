import Bluetooth
import Model

/// What happened. Each input that belongs to a use of an adapter or to an attempt says to which: an input of an
/// earlier one is dropped.
enum RunInput: Sendable {
  /// The run may begin.
  case started
  /// The adapters may have changed.
  case adaptersChanged
  /// Changes of the adapters are no longer reported: the bus is gone for good.
  case adapterChangesEnded
  /// Answers `listAdapters`.
  case adapters(Result<[Adapter], CentralError>)
  /// Answers `claim`.
  case claimed(AdapterID, AdapterClaim, stack: String?, hardware: AdapterHardware? = nil)
  /// Answers `findLeftLinks`; nil when the stack did not say.
  case connectedPeripherals([ConnectedPeripheral]?, RadioSession)
  /// A link that an earlier run had left behind was ended.
  case linkReleased(BluetoothAddress, RadioSession)
  /// Answers `releaseLinks`.
  case linksReleased(RadioSession)
  /// Answers `askScanningClients`.
  case scanningClients([String], RadioSession)
  /// The adapter scans.
  case scanBegan(RadioSession)
  /// An adapter received an advertisement.
  case heard(Advertisement, RadioSession)
  /// A scan window has ended, by itself or as it was told to.
  case scanEnded(CentralError?, RadioSession)
  /// An adapter was switched off and on, or was not.
  case powerCycled(AdapterFault, RadioSession)
  /// Answers `askForAction`.
  case action(MonotonicInstant?, AttemptID)
  /// The link is up.
  case connected(AttemptID)
  /// The GATT session is over. The link, if there is one, is taken down now.
  case sessionEnded(AttemptReport, AttemptID)
  /// The adapter no longer holds the link.
  case linkEnded(AttemptID)
  /// The link is down and the stack has forgotten the device, or has not.
  case takenDown(isForgotten: Bool, AttemptID)
  /// The stack has forgotten a device that it could not forget before.
  case forgotten(BluetoothAddress, AdapterID)
  /// Answers `forgetLeftovers`.
  case leftoversForgotten
  /// Answers `confirm`.
  case confirmed(Bool)
  /// Answers `judge`.
  case judged(Bool)
  /// This host did nothing for a while, or its clock was set.
  case hostPaused(HostPause)
  /// The operator asks the run to pause, to go on, or to stop.
  case requested(OperatorRequested.Request)
  /// The record cannot be written any more.
  case recordFailed(RecordFailure)
  /// An instant has come that `RunMachine.wake` gave.
  case timePassed
}

/// What is to be done. Effects are done in their order; those that take time report back with an input.
enum RunEffect: Hashable, Sendable {
  /// Put a fact on record.
  case record(Fact)
  /// Say which adapters there are.
  case listAdapters
  /// Take an adapter for this run alone.
  case claim(Adapter)
  /// Say which links an adapter has.
  case findLeftLinks(RadioSession)
  /// End links that an earlier run left behind, all at the same time.
  case releaseLinks([BluetoothAddress], RadioSession)
  /// Say which programs may be scanning with an adapter.
  case askScanningClients(RadioSession)
  /// Open a scan window, after the stack was made to forget these devices on that adapter.
  case scan(RadioSession, forgetting: [BluetoothAddress])
  /// End it.
  case endScan(RadioSession)
  /// Switch an adapter off and on.
  case powerCycle(RadioSession)
  /// Ask for the moment of the action that a room's device is to learn the time of.
  case askForAction(AttemptID, Room)
  /// Carry out an attempt, once all that was recorded so far is on disk.
  case begin(Attempt)
  /// End the GATT session of an attempt.
  case endAttempt(AttemptID, AttemptEnd)
  /// Ask a person whether rooms may get these devices.
  case confirm([ProposedBinding])
  /// Ask whether the rest may follow the first rooms.
  case judge([RoomFinished])
  /// Withdraw what a person, or the host, was asked and has not answered.
  case withdrawQuestions
  /// Have the stack forget these devices where their adapters are there.
  case forgetLeftovers([Leftovers.Device])
  /// The run is over.
  case finish(RunEnd)
}

/// How the machine's run ended.
enum RunEnd: Hashable, Sendable {
  case applied(ApplyResult)
  case planned(Result<ApplyPlan, PlanFailure>)
}
