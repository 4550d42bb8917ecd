import Bluetooth
import Model

/// What happened. Each input that belongs to a session of an adapter or to an attempt carries its id: the
/// machine drops inputs of earlier ones.
enum RunInput: Sendable {
  case started
  case adaptersChanged
  /// Changes of the adapters are no longer reported: the bus is lost for good.
  case adapterChangesEnded
  /// The response to `listAdapters`.
  case hosts([HostAdapters])
  /// The response to `claim`.
  case claimed(AdapterID, AdapterClaim, stack: String?, hardware: AdapterHardware? = nil)
  /// The response to `findLeftLinks`; nil when the stack did not respond.
  case connectedPeripherals([ConnectedPeripheral]?, RadioSession)
  /// The run ended a link that an earlier run had left behind.
  case linkReleased(BluetoothAddress, RadioSession)
  /// The response to `releaseLinks`.
  case linksReleased(RadioSession)
  /// The response to `askScanningClients`.
  case scanningClients([String]?, RadioSession)
  case scanBegan(RadioSession)
  case received(Advertisement, RadioSession)
  /// A scan window has ended, by itself or on request.
  case scanEnded(CentralError?, RadioSession)
  /// The attempt to switch an adapter off and on is over; nil when it succeeded.
  case powerCycled(CentralError?, RadioSession)
  /// The response to `askForAction`.
  case action(MonotonicInstant?, AttemptID)
  /// The stack reports the link of an attempt. The connection may still fail.
  case linked(AttemptID)
  /// The link can be used.
  case connected(AttemptID)
  /// The attempt is about to send the first setting.
  case asksToWrite(AttemptID)
  /// The GATT session is over. The link, if there is one, is being ended.
  case sessionEnded(AttemptResult, AttemptID)
  /// The adapter no longer holds the link. The cause is nil if there was no link, or the stack did not report it.
  case linkEnded(Disconnection.Cause?, AttemptID)
  /// The link is down, and the stack has or has not forgotten the device.
  case takenDown(isForgotten: Bool, AttemptID)
  /// The stack has forgotten a device that it could not forget before.
  case forgotten(BluetoothAddress, AdapterID)
  /// The response to `forgetLeftovers`.
  case leftoversForgotten
  /// The response to `confirm`; nil for a refusal.
  case confirmed(Consent?)
  /// The response to `judge`.
  case judged(Bool)
  /// The host was paused, or its clock was set.
  case hostPaused(HostPause)
  /// The operator asks the run to pause, to resume, or to stop.
  case requested(OperatorRequested.Request)
  /// The record can no longer be written.
  case recordFailed(RecordFailure)
  /// The instant that `RunMachine.wake` returned has come.
  case timePassed
}

/// What the shell is to do. It performs effects in their order; those that take time report back with an
/// input.
enum RunEffect: Hashable, Sendable {
  case record(Fact)
  case listAdapters
  /// Reserve an adapter for this run.
  case claim(Adapter)
  /// Have the stack remove these bonds of earlier runs, then list the links of an adapter.
  case findLeftLinks(RadioSession, removingBonds: [BluetoothAddress])
  /// End links that an earlier run left behind, all at the same time.
  case releaseLinks([BluetoothAddress], RadioSession)
  /// List the programs that may be scanning with an adapter.
  case askScanningClients(RadioSession)
  /// Have the stack forget these devices on that adapter, then open a scan window.
  case scan(RadioSession, forgetting: [BluetoothAddress])
  case endScan(RadioSession)
  /// Switch an adapter off and on. A run that ends waits for it: an adapter must not stay off.
  case powerCycle(RadioSession)
  /// Wait for the moment of the action whose time the device of a room needs.
  case askForAction(AttemptID, Room)
  /// Carry out an attempt, once everything recorded so far is on disk.
  case begin(Attempt)
  /// The response to `asksToWrite`: nil, or why the attempt must not send anything.
  case answerWriter(AttemptID, FailureReason?)
  /// End the GATT session of an attempt.
  case endAttempt(AttemptID, AttemptEnd)
  /// Ask the operator whether rooms may get these devices.
  case confirm([ProposedBinding])
  /// Ask whether the remaining rooms may follow the first rooms.
  case judge([RoomFinished])
  /// Withdraw the questions that the operator has not answered.
  case withdrawQuestions
  /// Have the stack forget these devices. An absent adapter keeps its entries.
  case forgetLeftovers([Leftovers.Device])
  case finish(RunEnd)
}

enum RunEnd: Hashable, Sendable {
  case applied(ApplyResult)
  case planned(Result<ApplyPlan, PlanFailure>)
}
