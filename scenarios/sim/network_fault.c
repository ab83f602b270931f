#include "scenarios/sim/network_fault.h"

#include "scenarios/sim/message.h"
#include "scenarios/sim/parts.h"

void sim_set_network_fault(struct sim *sim,
                           void (*fn)(void *arg, const struct sim_request_view *request,
                                      struct sim_fault *fault),
                           void *arg)
{
    sim->fault = fn;
    sim->fault_arg = arg;
}

void network_fault_ask(struct sim_exchange *exchange)
{
    struct sim_process *process = sim_runtime_of(exchange->base.rt)->process;
    const struct message *message = exchange->message;
    const struct sim_request_view view = {
        .id = exchange->id,
        .from = process,
        .to = exchange->server,
        .method = message->method,
        .target = message->target,
        .headers = message->headers,
        .header_count = message->header_count,
        .body = message->body == NULL ? NULL : message->body->data,
        .body_size = message_body_size(message),
    };

    if (process->sim->fault != NULL)
        process->sim->fault(process->sim->fault_arg, &view, &exchange->fault);
}

void network_fault_begin_request(struct connection *connection, const struct sim_fault *fault)
{
    int64_t after = fault->kind == SIM_FAULT_RESET_REQUEST ? (int64_t)fault->after_bytes : -1;

    connection->fault = *fault;
    pipe_begin(&connection->up, after);
    if (fault->delay_us > 0)
        connection->up.free_us = connection->sim->now_us + fault->delay_us;
    if (fault->kind == SIM_FAULT_LOSE) {
        connection->up.lost = true;
        connection->down.lost = true;
    }
    if (fault->kind == SIM_FAULT_RESET)
        connection_close_server(connection);
}

void network_fault_begin_answer(struct connection *connection)
{
    const struct sim_fault *fault = &connection->fault;

    pipe_begin(&connection->down,
               fault->kind == SIM_FAULT_RESET_RESPONSE ? (int64_t)fault->after_bytes : -1);
    if (fault->kind == SIM_FAULT_LOSE_ANSWER)
        connection->down.lost = true;
    if (fault->kind == SIM_FAULT_RESET_ANSWER)
        connection_break(connection);
}
